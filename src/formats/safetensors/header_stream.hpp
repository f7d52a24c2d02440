/// \file
/// A header that is read in pieces which stay in the cache, the long texts of its metadata decoded
/// on the way: a schema is most of a header, and is needed without its backslashes alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>

#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::safetensors::detail {

/// What is read at once: a quarter of a second-level cache, so that it is still there when it is
/// decoded.
inline constexpr std::size_t header_window = std::size_t{256} << 10U;

/// Reads and parses the header of a file, of `length` bytes. One of less than two windows is read
/// at once.
/// \throws Error as `Header::parse`; what the source throws
Table read_table(const Source& source, std::size_t length, std::uint64_t data_size,
                 const Limits& limits, std::size_t window = header_window);

}  // namespace safestructures::inline v0::safetensors::detail
