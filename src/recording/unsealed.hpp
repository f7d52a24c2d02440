/// \file
/// Reading a segment that is not sealed: its journal, and its data as a file of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>
#include "recording/frame.hpp"

namespace safestructures::inline v0::recording {

/// The bytes of a journal that are there now. \throws Error `limit_exceeded` where they are more
/// than any journal has; `cannot_open`, `cannot_read`
[[nodiscard]] std::vector<std::byte> read_journal(const std::filesystem::path& path,
                                                  std::uint64_t from, const Limits& limits);

/// Frames that follow each other, as a file of the default format: a header made of them, and their
/// data where these are. Its errors name the file with the data.
/// \param frames at least one, data in ascending order \param room bytes in front of the data
[[nodiscard]] std::shared_ptr<const Source> as_file(std::shared_ptr<const Source> part,
                                                    std::uint64_t room,
                                                    std::span<const Frame> frames);

}  // namespace safestructures::inline v0::recording
