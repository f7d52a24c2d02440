/// \file
/// Encodes short names as numbers for use in a `switch`: a file may name dtypes and node types a
/// hundred thousand times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Packs a name of up to seven characters and its length into one word.
constexpr std::uint64_t packed_name(std::string_view name) noexcept {
  std::uint64_t word = name.size();
  for (const char c : name) word = word << 8U | static_cast<unsigned char>(c);
  return word;
}

/// The most characters in such a name.
inline constexpr std::size_t longest_packed = 7;

}  // namespace safestructures::inline v0::detail
