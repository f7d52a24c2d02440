/// \file
/// Reads parts of deferred tensors.
#pragma once

#include <cstdint>
#include <span>

#include <safestructures/data/tensor.hpp>

#include "data/deferred.hpp"

namespace safestructures::inline v0::detail {

/// Reads the elements at `offset + i * strides[0] + ...` bytes. Ranges less than a few KiB apart
/// are read together, because a request costs as much as copying that. \throws Error as
/// `DeferredBytes::read`
Tensor read_slice(const DeferredBytes& bytes, std::uint64_t offset, DType dtype, const Shape& shape,
                  std::span<const std::int64_t> strides);

}  // namespace safestructures::inline v0::detail
