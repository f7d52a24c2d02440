/// \file
/// Parts of tensors read by position.
#pragma once

#include <cstdint>
#include <span>

#include <safestructures/data/slice.hpp>
#include <safestructures/data/tensor.hpp>

#include "platform/file.hpp"

namespace safestructures::safetensors::detail {

/// Reads a part of the tensor whose bytes begin at `offset`. Ranges closer than a few KiB are read
/// together, because a system call costs as much as copying that.
/// \throws Error as `File::slice`
Tensor read_slice(const platform::InputFile& file, std::uint64_t offset, DType dtype,
                  const Shape& shape, std::span<const Slice> slices);

}  // namespace safestructures::safetensors::detail
