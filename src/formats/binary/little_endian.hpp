/// \file
/// Little-endian numbers of any width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace safestructures::inline v0::binary {

/// Returns the number in at most eight bytes.
[[nodiscard]] inline std::uint64_t little_endian(std::span<const std::byte> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace safestructures::inline v0::binary
