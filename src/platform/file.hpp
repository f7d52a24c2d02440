/// \file
/// Reading files by position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "platform/os.hpp"

namespace safestructures::platform {

/// A regular file, open for reading. May be read by several threads at once.
class InputFile {
 public:
  /// \throws Error `cannot_open` where there is no such file or it is a folder, pipe, socket or
  /// device.
  explicit InputFile(std::filesystem::path path);

  /// The path as the caller gave it.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The size in bytes when the file was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const os::File& handle() const noexcept { return file_; }

  /// Fills `into` from `offset` on.
  /// \throws Error `truncated` where the file ends before, `cannot_read` where the system refuses.
  void read_at(std::uint64_t offset, std::span<std::byte> into) const;

  /// The same in pieces of 8 MiB, on two threads from 32 MiB on.
  void read_parallel(std::uint64_t offset, std::span<std::byte> into) const;

  /// Says that the whole file will be read from front to back.
  void advise_sequential() const noexcept;
  /// Starts to read a range from the disk and does not wait.
  void advise_willneed(std::uint64_t offset, std::uint64_t size) const noexcept;

 private:
  std::filesystem::path path_;
  os::File file_;
  std::uint64_t size_ = 0;
};

}  // namespace safestructures::platform
