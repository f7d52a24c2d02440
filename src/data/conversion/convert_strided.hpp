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

/// Columns [column, column + columns) of rows [row, row + rows) of a matrix.
struct MatrixPart {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t column = 0;
  std::uint64_t columns = 0;
};

/// Copies or converts a part of `view.as_matrix`, whose rows have `row_size` elements, row by row.
/// \pre the part is inside; the dtypes are not narrower than a byte
/// \throws Error as `convert_elements`, for any element of the part
ConversionReport copy_part(const StridedView& view, std::uint64_t row_size, const MatrixPart& part,
                           DType from, DType to, std::span<std::byte> target, Overflow overflow);

}  // namespace safestructures::inline v0::detail
