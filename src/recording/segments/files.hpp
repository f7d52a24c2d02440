/// \file
/// The files of a recording's folder, and their names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include <safestructures/data/error.hpp>
#include "platform/os.hpp"

namespace safestructures::inline v0::recording {

/// The files of one segment.
struct SegmentFiles {
  bool sealed = false;
  bool part = false;
  bool journal = false;
};

[[nodiscard]] std::filesystem::path sealed_file(const std::filesystem::path& folder,
                                                std::uint64_t segment);
[[nodiscard]] std::filesystem::path part_file(const std::filesystem::path& folder,
                                              std::uint64_t segment);
[[nodiscard]] std::filesystem::path journal_file(const std::filesystem::path& folder,
                                                 std::uint64_t segment);
/// Of a segment that is written at once, until it has its name.
[[nodiscard]] std::filesystem::path new_file(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path lock_file(const std::filesystem::path& folder);

/// The segments in a folder by their numbers; other files are passed over.
/// \throws Error `cannot_open` for what is no folder, `cannot_read`
[[nodiscard]] std::map<std::uint64_t, SegmentFiles> list_segments(
    const std::filesystem::path& folder);

/// Adds what is sealed and not among `segments`, in front of the last of these. A look at a folder
/// of some 700 files takes several system calls: a file that is given its name between them is seen
/// under neither, and those that were begun later are. `list_segments` does this.
void look_again(const std::filesystem::path& folder,
                std::map<std::uint64_t, SegmentFiles>& segments);

/// A sentence on segments that are not there.
[[nodiscard]] std::string missing_text(std::uint64_t first, std::uint64_t last);

/// The same of a folder that is a recording: it has segments, or the lock that a recorder leaves.
/// \throws Error as above; `cannot_open` for any other folder
[[nodiscard]] std::map<std::uint64_t, SegmentFiles> segments_of(
    const std::filesystem::path& folder);

/// Keeps other writers, and who would recover, away from the folder for as long as it lives. The
/// system lets go of it when the process ends, however it ends.
/// \throws Error `cannot_write` \param busy what to say where somebody has it
[[nodiscard]] platform::os::File lock(const std::filesystem::path& folder, std::string busy);

/// Writes all of it; blocks, which are used up, one behind the other. \throws Error `cannot_write`
/// @{
void write_at(const platform::os::File& file, const std::filesystem::path& path,
              std::uint64_t offset, platform::os::Bytes bytes);
void write_at(const platform::os::File& file, const std::filesystem::path& path,
              std::uint64_t offset, std::span<platform::os::Bytes> blocks);
/// @}

/// \throws Error `cannot_write` when `error` is one
void check_written(const std::error_code& error, const char* operation,
                   const std::filesystem::path& path);

}  // namespace safestructures::inline v0::recording
