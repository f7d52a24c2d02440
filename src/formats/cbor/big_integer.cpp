#include "formats/cbor/big_integer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace safestructures::inline v0::cbor {
namespace {

void strip(std::vector<std::uint8_t>& bytes) {
  bytes.erase(bytes.begin(),
              std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != 0; }));
}

// Nine digits at a time, in limbs of 32 bits: with single digits and bytes, 1,780 bytes took 12 ms.
constexpr std::size_t digits_at_once = 9;
constexpr std::uint64_t base = 1'000'000'000;

}  // namespace

std::vector<std::uint8_t> big_from_digits(std::string_view digits) {
  std::vector<std::uint32_t> little;
  while (!digits.empty()) {
    const std::size_t rest = digits.size() % digits_at_once;
    const std::string_view piece = digits.substr(0, rest == 0 ? digits_at_once : rest);
    digits.remove_prefix(piece.size());
    std::uint64_t carry = 0;
    for (const char digit : piece) carry = carry * 10 + static_cast<unsigned>(digit - '0');
    for (std::uint32_t& limb : little) {
      carry += limb * base;
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    if (carry > 0) little.push_back(static_cast<std::uint32_t>(carry));
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve(4 * little.size());
  for (auto limb = little.rbegin(); limb != little.rend(); ++limb)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<std::uint8_t>(*limb >> shift));
  strip(bytes);
  return bytes;
}

std::string digits_of_big(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> limbs((bytes.size() + 3) / 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t place = bytes.size() - 1 - i;
    limbs[limbs.size() - 1 - i / 4] |= std::uint32_t{bytes[place]} << (8 * (i % 4));
  }
  std::string reversed;
  for (std::span<std::uint32_t> left = limbs;;) {
    while (!left.empty() && left.front() == 0) left = left.subspan(1);
    if (left.empty()) break;
    std::uint64_t rest = 0;
    for (std::uint32_t& limb : left) {
      rest = rest << 32U | limb;
      limb = static_cast<std::uint32_t>(rest / base);
      rest %= base;
    }
    for (std::size_t i = 0; i < digits_at_once; ++i, rest /= 10)
      reversed += static_cast<char>('0' + rest % 10);
  }
  reversed.erase(reversed.find_last_not_of('0') + 1);
  if (reversed.empty()) return "0";
  std::ranges::reverse(reversed);
  return reversed;
}

void subtract_one(std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = bytes.size(); i-- > 0 && bytes[i]-- == 0;) {
  }
  strip(bytes);
}

void add_one(std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = bytes.size(); i-- > 0;)
    if (++bytes[i] != 0) return;
  bytes.insert(bytes.begin(), 1);
}

}  // namespace safestructures::inline v0::cbor
