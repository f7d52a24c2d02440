/// \file
/// Integers beyond 64 bits, as CBOR stores them: big-endian bytes after a tag (RFC 8949, 3.4.3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace safestructures::inline v0::cbor {

/// The tags: n, and -1 - n.
inline constexpr std::uint64_t positive_big = 2;
inline constexpr std::uint64_t negative_big = 3;

// All take time quadratic in the length, which Limits::digits bounds.

/// Returns the bytes for decimal digits, without leading zeros.
[[nodiscard]] std::vector<std::uint8_t> big_from_digits(std::string_view digits);
/// Returns the decimal digits, without leading zeros.
[[nodiscard]] std::string digits_of_big(const std::vector<std::uint8_t>& bytes);
/// \param bytes a number above 0
void subtract_one(std::vector<std::uint8_t>& bytes);
void add_one(std::vector<std::uint8_t>& bytes);

}  // namespace safestructures::inline v0::cbor
