/// \file
/// Detects tensors that are identical.
#pragma once

#include <algorithm>

#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// Whether both are views of the same elements.
inline bool same_view(const Tensor& a, const Tensor& b) {
  return a.identity() == b.identity() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::ranges::equal(a.strides(), b.strides());
}

}  // namespace safestructures::inline v0::detail
