/// \file
/// The open files of a recording that is read: a bounded number, however many segments there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include <safestructures/data/source.hpp>

namespace safestructures::inline v0::recording {

/// Safe to use from several threads at once.
class OpenFiles : public std::enable_shared_from_this<OpenFiles> {
 public:
  /// Systems allow a process 256 or more in all, and it may read several recordings.
  static constexpr std::size_t most = 32;

  /// Returns a file as a source, which keeps this alive. When the limit is reached, the least
  /// recently used file is closed, and reopened when it is read again, so it must not change
  /// meanwhile.
  /// \param later the name that it may be renamed to, and may then be cut or grow; empty if it may
  /// not
  /// \throws Error as `Source::open`, also when reading
  [[nodiscard]] std::shared_ptr<const Source> open(std::filesystem::path path,
                                                   std::filesystem::path later = {});

 private:
  class File;

  /// Returns the file, opened if necessary.
  [[nodiscard]] std::shared_ptr<const Source> use(const File& file);
  void forget(const File& file) noexcept;

  std::mutex mutex_;
  std::vector<const File*> open_;
  std::uint64_t uses_ = 0;
};

}  // namespace safestructures::inline v0::recording
