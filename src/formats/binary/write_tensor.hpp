/// \file
/// Writes a tensor's elements to a sink, after smaller pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/binary/byte_output.hpp"
#include "formats/tensor_bytes.hpp"

namespace safestructures::inline v0::binary {

/// Writes elements as they are stored, little endian and row-major.
inline void write_tensor(ByteOutput& out, detail::StoredElements& elements) {
  const Tensor& tensor = elements.tensor();
  const std::uint64_t size = byte_size(elements.dtype(), tensor.shape());
  // Small tensors are copied: a write to the sink costs more than copying these bytes.
  constexpr std::uint64_t small = 4096;
  if (size > small) return detail::write_tensor(out.sink(), elements);
  std::array<std::byte, small> room;
  const std::span<std::byte> packed = std::span(room).first(static_cast<std::size_t>(size));
  elements.copy(0, tensor.size(), packed);
  out.raw(packed);
}

}  // namespace safestructures::inline v0::binary
