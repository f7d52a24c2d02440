/// \file
/// Integers of bincode 2 (`config::standard()`): one byte, or a marker followed by 2, 4 or 8 bytes.
#pragma once

#include <cstdint>

namespace safestructures::inline v0::burn::bincode {

inline constexpr unsigned largest_single = 250;
inline constexpr unsigned mark16 = 251;
inline constexpr unsigned mark32 = 252;
inline constexpr unsigned mark64 = 253;

/// Converts a signed integer to an unsigned one: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1U) ^ (value < 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>((value >> 1U) ^ ((value & 1U) != 0 ? ~std::uint64_t{0} : 0));
}

}  // namespace safestructures::inline v0::burn::bincode
