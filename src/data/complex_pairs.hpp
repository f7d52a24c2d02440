/// \file
/// Complex numbers as pairs of their parts.
#pragma once

#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// Returns the pairs of floats that C64 elements consist of, with one more dimension. Shares the
/// memory of a contiguous tensor, or is deferred as it is.
[[nodiscard]] Tensor as_pairs(const Tensor& tensor);

/// Whether pairs of parts, in any dtype, have the shape of a C64 tensor's.
[[nodiscard]] bool have_pairs_of(const Shape& pairs, const Tensor& tensor) noexcept;

}  // namespace safestructures::inline v0::detail
