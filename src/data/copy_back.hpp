/// \file
/// Conversion back to the dtype that a tensor had before it was stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Whether a tensor had this dtype before it was stored in another.
[[nodiscard]] bool had_dtype(const Value& value, DType dtype);

/// Copies elements to the dtype that they had before they were stored, as `Tensor::copy_elements`
/// does; all of them as `copy_to`. Numbers that storing rounded beyond that dtype's range become
/// its largest: with F16's 11 bits, those from 65,408 to 65,504 are 65,536 with BF16's 8. For no
/// other pair that `Precision::stored` allows can this happen.
ConversionReport copy_back(const Tensor& stored, std::uint64_t first, std::uint64_t count,
                           DType dtype, std::span<std::byte> target, Overflow overflow);

}  // namespace safestructures::inline v0::detail
