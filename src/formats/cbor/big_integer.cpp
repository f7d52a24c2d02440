#include "formats/cbor/big_integer.hpp"

#include <algorithm>
#include <cstddef>

namespace safestructures::inline v0::cbor {
namespace {

void strip(std::vector<std::uint8_t>& bytes) {
  bytes.erase(bytes.begin(),
              std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != 0; }));
}

}  // namespace

std::vector<std::uint8_t> big_from_digits(std::string_view digits) {
  std::vector<std::uint8_t> little;
  for (const char digit : digits) {
    auto carry = static_cast<unsigned>(digit - '0');
    for (std::uint8_t& byte : little) {
      carry += byte * 10U;
      byte = static_cast<std::uint8_t>(carry & 0xFFU);
      carry >>= 8U;
    }
    if (carry > 0) little.push_back(static_cast<std::uint8_t>(carry));
  }
  std::ranges::reverse(little);
  return little;
}

std::string digits_of_big(std::vector<std::uint8_t> bytes) {
  strip(bytes);
  std::string reversed;
  while (!bytes.empty()) {
    unsigned rest = 0;
    for (std::uint8_t& byte : bytes) {
      rest = rest << 8U | byte;
      byte = static_cast<std::uint8_t>(rest / 10);
      rest %= 10;
    }
    reversed += static_cast<char>('0' + rest);
    strip(bytes);
  }
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
