/// \file
/// A single number in a tensor.
#pragma once

#include <optional>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Returns the element of a tensor of rank 0 as a bool, int, float or complex.
/// \throws Error `out_of_range` for a BOOL byte above 1
Value scalar_of(const Tensor& tensor);

/// Returns a number from a tensor of rank 0 or from a custom value that holds one, as numpy.float32
/// does.
/// \throws Error as `scalar_of`
std::optional<Value> scalar_in(const Value& value, const Decoder& decoder);

}  // namespace safestructures::inline v0::detail
