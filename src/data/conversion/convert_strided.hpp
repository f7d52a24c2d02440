/// \file
/// Conversion of elements that are stored in another order than the one wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>

#include "data/conversion/strided.hpp"

namespace safestructures::inline v0::detail {

/// Converts `count` elements of a view from element `first` on, in row-major order, through a block
/// that fits into a core's cache. \pre the range is inside the view; if the target dtype is
/// narrower than a byte, the range consists of whole groups of eight, or ends the view
/// \throws Error as `convert`, for the first element in that order
ConversionReport convert_strided(const StridedView& view, DType from, DType to, std::uint64_t first,
                                 std::uint64_t count, std::span<std::byte> target,
                                 Overflow overflow);

}  // namespace safestructures::inline v0::detail
