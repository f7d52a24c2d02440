#include "data/copy_back.hpp"

#include <algorithm>
#include <array>

#include <safestructures/data/attributes.hpp>

namespace safestructures::inline v0::detail {

bool had_dtype(const Value& value, DType dtype) {
  const Value* const note = value.attribute(attributes::dtype);
  return note != nullptr && note->kind() == Kind::string && parse_dtype(note->as_string()) == dtype;
}

bool are_from_halves(const Tensor& stored, std::uint64_t first, std::uint64_t count) {
  constexpr std::uint16_t most = 0x4780;      // 65,536
  constexpr std::uint16_t infinity = 0x7F80;  // NaN is above it.
  std::array<std::uint16_t, 2048> block;
  for (std::uint64_t at = 0; at < count; at += block.size()) {
    const std::uint64_t now = std::min<std::uint64_t>(block.size(), count - at);
    const std::span<std::uint16_t> bits(block.data(), static_cast<std::size_t>(now));
    stored.copy_elements(first + at, now, DType::BF16, std::as_writable_bytes(bits),
                         Overflow::error);
    for (const std::uint16_t number : bits) {
      const unsigned magnitude = number & 0x7FFFU;
      if (magnitude > most && magnitude < infinity) return false;
    }
  }
  return true;
}

ConversionReport copy_back(const Tensor& stored, DType dtype, std::span<std::byte> target,
                           Overflow overflow) {
  return copy_back(stored, 0, stored.size(), dtype, overflow,
                   [&](Overflow how) { return stored.copy_to(dtype, target, how); });
}

}  // namespace safestructures::inline v0::detail
