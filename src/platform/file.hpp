/// \file
/// Reading files by position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform {

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

  /// The same, on several threads where the file is in the page cache and it is 32 MiB or more.
  /// What is on the disk is read in order, with as much read ahead as the system will.
  void read_parallel(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  [[nodiscard]] bool is_cached(std::uint64_t offset, std::uint64_t size) const noexcept;

  std::filesystem::path path_;
  os::File file_;
  std::uint64_t size_ = 0;
};

}  // namespace safestructures::inline v0::platform
