/// \file
/// The conversion of any dtype to any other, element by element: the reference for all faster
/// paths.
#pragma once

#include <cstddef>
#include <cstdint>

#include <safestructures/data/convert.hpp>

namespace safestructures::inline v0::detail {

/// `convert` without its size checks and fast paths.
ConversionReport convert_exactly(DType from, const std::byte* source, DType to, std::byte* target,
                                 std::uint64_t count, Overflow overflow, std::uint64_t first);

}  // namespace safestructures::inline v0::detail
