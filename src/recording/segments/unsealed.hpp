/// \file
/// Reading a segment that is not sealed: its journal, and its data as a file of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>
#include "recording/segments/frame.hpp"

namespace safestructures::inline v0::recording {

/// The bytes of a journal that are there now. \throws Error `limit_exceeded` where they are more
/// than any journal has; `cannot_open`, `cannot_read`
[[nodiscard]] std::vector<std::byte> read_journal(const std::filesystem::path& path,
                                                  std::uint64_t from, const Limits& limits);

/// Leaves out frames whose data others have already, as those of no recorder do.
/// \returns how many
std::size_t drop_overlaps(std::vector<Frame>& frames);

/// Records as a file of the default format: what precedes the data, made of their frames, and the
/// data where these are. Its errors name the file with the data.
/// \param room bytes in front of the data \param frames at least one, in the order of their
/// sequence, without overlaps; used up
[[nodiscard]] std::shared_ptr<const Source> as_file(std::shared_ptr<const Source> part,
                                                    std::uint64_t room, std::vector<Frame>& frames);

}  // namespace safestructures::inline v0::recording
