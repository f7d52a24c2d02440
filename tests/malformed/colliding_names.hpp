/// \file
/// Names that one hash value was chosen for: a flood of a hash table whose hash has no secret key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace attacks {

__extension__ using Product = unsigned __int128;

/// Names of 128 bytes, plain text all, of one and the same XXH3_64bits (seed 0).
///
/// Of 128 bytes, XXH3 adds up eight products, one for each 16 bytes: of their two halves, each
/// mixed with a constant, high and low word of the product XORed. The bytes 72 to 79 are here such
/// that their half is 2^38, so the product of 64 to 79 is the other half, rotated by 38 bits: it
/// can be chosen to make up for any change of the bytes 0 to 15. What comes out is text once in
/// some thousand tries.
inline std::vector<std::string> colliding_names(std::size_t count) {
  // Little-endian words of XXH3's default secret (xxHash's specification), at 0, 8 and 112.
  constexpr std::uint64_t secret_0 = 0xBE4BA423396CFEB8;
  constexpr std::uint64_t secret_8 = 0x1CAD21F72C81017C;
  constexpr std::uint64_t secret_112 = 0x3159B4CD4BE0518A;
  constexpr std::uint64_t sum = 0;
  std::mt19937_64 random(1);
  std::string name(128, 'x');
  name.replace(72, 8, "\xC8\x9F\x7E\xC9\x99\x78\x73\x64");
  std::vector<std::string> names;
  while (names.size() < count) {
    std::uint64_t parts[2] = {};
    for (std::uint64_t& part : parts) {
      for (std::size_t i = 0; i < 8; ++i) part = part << 8U | ('a' + (random() >> 60U));
    }
    const auto product = static_cast<Product>(parts[0] ^ secret_0) * (parts[1] ^ secret_8);
    const std::uint64_t folded =
        static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
    const std::uint64_t answer = std::rotr(sum - folded, 38) ^ secret_112;
    char text[8];
    std::memcpy(text, &answer, 8);
    bool is_text = true;
    for (const char c : text) is_text = is_text && c >= ' ' && c <= '~' && c != '"' && c != '\\';
    if (!is_text) continue;
    std::memcpy(name.data(), parts, 16);
    std::memcpy(name.data() + 64, text, 8);
    names.push_back(name);
  }
  return names;
}

}  // namespace attacks
