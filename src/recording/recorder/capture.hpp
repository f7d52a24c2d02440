/// \file
/// What is recorded, made independent of the program's memory.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include <safestructures/data/slice.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include "recording/recorder/buffer_pool.hpp"

namespace safestructures::inline v0::recording {

/// Bytes of a value.
struct CapturedSize {
  std::uint64_t content = 0;  ///< Of its tensors and texts.
  std::uint64_t memory = 0;   ///< That it takes once it is captured, about.
};

/// The bytes of a value.
[[nodiscard]] CapturedSize captured_size(const Value& value);

/// Takes of every tensor the part that the slices name. \throws Error as `Tensor::slice`, the path
void slice_tensors(Value& value, std::span<const Slice> slices);

/// A value that owns its bytes. A tensor of which there is nothing to say but its dtype and shape
/// is one here: in a Value it has memory of its own, which 1,000 records of 256 B touched 40 pages
/// for.
using Captured = std::variant<Value, Tensor>;

/// Copies the bytes of every tensor, each once. \param moved those that own contiguous memory are
/// taken as they are
[[nodiscard]] Captured capture(Value value, BufferPool& pool, bool moved);

/// Puts in the place of every tensor its statistics.
/// @{
void summarise(Value& value);
void summarise(Captured& captured);
/// @}

}  // namespace safestructures::inline v0::recording
