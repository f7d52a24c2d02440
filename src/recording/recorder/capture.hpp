/// \file
/// Makes recorded values independent of the program's memory.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include <safestructures/data/slice.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include "recording/recorder/buffer_pool.hpp"

namespace safestructures::inline v0::recording {

/// The size of a value.
struct CapturedSize {
  std::uint64_t content = 0;  ///< Bytes of its tensors and texts.
  std::uint64_t memory = 0;   ///< Approximate bytes of memory once it is captured.
};

/// Returns the size of a value. \param moved as for `capture`
[[nodiscard]] CapturedSize captured_size(const Value& value, bool moved);

/// Replaces every tensor with its slice. \throws Error as `Tensor::slice`, with the path
void slice_tensors(Value& value, std::span<const Slice> slices);

/// A value that owns its bytes. A tensor described by its dtype and shape alone is held as a
/// `Tensor`: in a `Value` it has memory of its own, which touched 40 pages for 1,000 records of 256
/// B.
using Captured = std::variant<Value, Tensor>;

/// Copies the bytes of every tensor, each once. \param moved whether tensors that own contiguous
/// memory are taken without a copy
[[nodiscard]] Captured capture(Value value, BufferPool& pool, bool moved);

/// Returns a tensor in a dtype, as with `Overflow::allow`, and in row-major order: itself, or a
/// copy in memory of the pool.
[[nodiscard]] Tensor converted(const Tensor& tensor, DType dtype, BufferPool& pool);

/// Replace every tensor with its statistics.
/// @{
void summarise(Value& value);
void summarise(Captured& captured);
/// @}

}  // namespace safestructures::inline v0::recording
