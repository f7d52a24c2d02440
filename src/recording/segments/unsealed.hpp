/// \file
/// Reading a segment that is not sealed: its records as a file of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/data/source.hpp>
#include "recording/segments/frame.hpp"

namespace safestructures::inline v0::recording {

/// Leaves out frames whose data others have already, as those of no recorder do.
/// \returns how many
std::size_t drop_overlaps(std::vector<Frame>& frames);

/// Records as a file of the default format: what precedes the data, made of their frames, and the
/// data where these are. Its errors name the file with the data.
/// \param room bytes in front of the data \param frames at least one, in the order of their
/// sequence, without overlaps; used up
[[nodiscard]] std::shared_ptr<const Source> as_file(std::shared_ptr<const Source> part,
                                                    std::uint64_t room, std::vector<Frame>& frames);

/// A header that is in memory, and so many bytes of a file behind it.
[[nodiscard]] std::shared_ptr<const Source> behind_header(std::string header,
                                                          std::shared_ptr<const Source> part,
                                                          std::uint64_t offset, std::uint64_t size);

}  // namespace safestructures::inline v0::recording
