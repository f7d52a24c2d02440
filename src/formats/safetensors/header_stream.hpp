/// \file
/// Reads a header in pieces that stay in the cache, decoding the long texts of its metadata on the
/// way: a schema is most of a header, and is needed only in decoded form.
#pragma once

#include <cstddef>
#include <cstdint>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>

#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::safetensors::detail {

/// The size of a piece: a quarter of a second-level cache, so that it is still there when it is
/// decoded.
inline constexpr std::size_t header_window = std::size_t{256} << 10U;

/// Reads and parses the header of a file, of `length` bytes. A header of less than two windows is
/// read at once.
/// \throws Error as `Header::parse`; whatever the source throws
Table read_table(const Source& source, std::size_t length, std::uint64_t data_size,
                 const Limits& limits, std::size_t window = header_window);

}  // namespace safestructures::inline v0::safetensors::detail
