/// \file
/// A single number in a tensor.
#pragma once

#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// The element of a tensor of rank 0 as a bool, int, float or complex.
/// \throws Error `out_of_range` for a BOOL byte above 1
Value scalar_of(const Tensor& tensor);

}  // namespace safestructures::inline v0::detail
