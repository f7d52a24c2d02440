/// \file
/// Reads a segment that is not sealed: its records as a file of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/data/source.hpp>
#include "recording/segments/frame.hpp"

namespace safestructures::inline v0::recording {

/// Removes frames whose data overlap others', which no recorder writes. \returns how many
std::size_t drop_overlaps(std::vector<Frame>& frames);

/// Returns records as a file of the default format: a header made from their frames, followed by
/// the data, which stay where they are. Its errors name the file with the data.
/// \param room bytes before the data \param frames at least one, in sequence order, without
/// overlaps; consumed
[[nodiscard]] std::shared_ptr<const Source> as_file(std::shared_ptr<const Source> part,
                                                    std::uint64_t room, std::vector<Frame>& frames);

/// Returns a header in memory followed by `size` bytes of a file.
[[nodiscard]] std::shared_ptr<const Source> behind_header(std::string header,
                                                          std::shared_ptr<const Source> part,
                                                          std::uint64_t offset, std::uint64_t size);

}  // namespace safestructures::inline v0::recording
