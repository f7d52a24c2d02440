/// \file
/// Reads files by position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform {

/// A regular file opened for reading. Several threads may read it at once.
class InputFile {
 public:
  /// \throws Error `cannot_open` if the file does not exist, or is a folder, pipe, socket or
  /// device.
  explicit InputFile(std::filesystem::path path);

  /// Returns the path as given by the caller.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns the size in bytes when the file was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const os::File& handle() const noexcept { return file_; }

  /// Fills `into` with bytes from `offset` on.
  /// \throws Error `truncated` if the file ends before, `cannot_read` if the system refuses.
  void read_at(std::uint64_t offset, std::span<std::byte> into) const;

  /// The same, on several threads if the range has at least 32 MiB and is in the page cache. From
  /// the disk it is read in order, with as much read-ahead as the system provides.
  void read_parallel(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  [[nodiscard]] bool is_cached(std::uint64_t offset, std::uint64_t size) const noexcept;

  std::filesystem::path path_;
  os::File file_;
  std::uint64_t size_ = 0;
};

}  // namespace safestructures::inline v0::platform
