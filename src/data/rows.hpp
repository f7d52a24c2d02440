/// \file
/// Rows of a tensor as tensors of their own.
#pragma once

#include <cstdint>

#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// What is at an index of the first dimension of a contiguous tensor whose elements are a byte at
/// least. As lazy as that: a slice of what is deferred would be read at once.
[[nodiscard]] Tensor row_of(const Tensor& tensor, std::uint64_t row);

}  // namespace safestructures::inline v0::detail
