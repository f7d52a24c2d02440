/// \file
/// A new file under a temporary name, which is removed unless it gets the name of another file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform {

/// A file under a temporary name in the folder of its target, `.NAME.XXXXXXXX.tmp`. Without
/// `rename_to`, the destructor removes it; it stays behind only if the process dies.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { discard(); }

  /// Creates the file, open for writing. Call once, first.
  void create(const std::filesystem::path& target, std::uint32_t permissions,
              std::error_code& error);
  /// Gives the file the name of its target.
  void rename_to(const std::filesystem::path& target, std::error_code& error);
  /// Closes and removes the file, unless it has its target's name.
  void discard() noexcept;

  [[nodiscard]] os::File& file() noexcept { return file_; }
  [[nodiscard]] bool is_open() const noexcept { return file_.is_open(); }

 private:
  void forget() noexcept;

  os::File file_;
  std::filesystem::path path_;                // Empty once it is gone.
  os::Temporary* noted_ = nullptr;            // For removal by signal handlers.
  std::uint64_t process_ = os::process_id();  // The one that creates the file.
};

}  // namespace safestructures::inline v0::platform
