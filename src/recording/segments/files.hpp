/// \file
/// The names of the files in a recording's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include <safestructures/data/error.hpp>
#include "platform/os.hpp"

namespace safestructures::inline v0::recording {

/// Which files of one segment exist.
struct SegmentFiles {
  bool sealed = false;
  bool part = false;
  bool journal = false;
};

/// Returns the absolute path of a folder, which stays the same when the program changes its current
/// folder; the same path if the current folder was removed.
[[nodiscard]] std::filesystem::path from_root(const std::filesystem::path& folder);

[[nodiscard]] std::filesystem::path sealed_file(const std::filesystem::path& folder,
                                                std::uint64_t segment);
[[nodiscard]] std::filesystem::path part_file(const std::filesystem::path& folder,
                                              std::uint64_t segment);
[[nodiscard]] std::filesystem::path journal_file(const std::filesystem::path& folder,
                                                 std::uint64_t segment);
/// Returns the temporary name of a segment that is written at once.
[[nodiscard]] std::filesystem::path new_file(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path lock_file(const std::filesystem::path& folder);

/// Returns the status of a file, not following links; null if it does not exist. \throws Error
/// `cannot_read`
[[nodiscard]] std::optional<platform::os::Status> status_of(const std::filesystem::path& path);

/// Returns the segments in a folder by number; ignores other files.
/// \throws Error `cannot_open` if it is not a folder, `cannot_read`
[[nodiscard]] std::map<std::uint64_t, SegmentFiles> list_segments(
    const std::filesystem::path& folder);

/// Adds sealed segments missing from `segments`, up to the last of these. Listing a folder of some
/// 700 files takes several system calls: a file that is renamed between them may be missed under
/// both names while later files are seen. `list_segments` calls this.
void look_again(const std::filesystem::path& folder,
                std::map<std::uint64_t, SegmentFiles>& segments);

/// Returns a sentence on missing segments.
[[nodiscard]] std::string missing_text(std::uint64_t first, std::uint64_t last);

/// The same for a folder that must be a recording: it has segments, or the lock file of a recorder.
/// \throws Error as above; `cannot_open` for any other folder
[[nodiscard]] std::map<std::uint64_t, SegmentFiles> segments_of(
    const std::filesystem::path& folder);

/// Locks a folder against other writers and recovery as long as it lives. The system releases the
/// lock when the process and those that it forked end, however they end.
class FolderLock {
 public:
  FolderLock() = default;
  /// \throws Error `cannot_write` \param busy the message if the folder is already locked
  FolderLock(const std::filesystem::path& folder, std::string busy);
  FolderLock(FolderLock&&) noexcept = default;
  FolderLock& operator=(FolderLock&&) noexcept = default;
  ~FolderLock() { release(); }

  void release() noexcept;

 private:
  platform::os::File file_;
  std::uint64_t forks_ = platform::os::fork_count();
};

/// Write all bytes. The second one writes blocks one after another, and modifies the list.
/// \throws Error `cannot_write`
/// @{
void write_at(const platform::os::File& file, const std::filesystem::path& path,
              std::uint64_t offset, platform::os::Bytes bytes);
void write_at(const platform::os::File& file, const std::filesystem::path& path,
              std::uint64_t offset, std::span<platform::os::Bytes> blocks);
/// @}

/// \throws Error `cannot_write` if `error` is set
void check_written(const std::error_code& error, const char* operation,
                   const std::filesystem::path& path);

}  // namespace safestructures::inline v0::recording
