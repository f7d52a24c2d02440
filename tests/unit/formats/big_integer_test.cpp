/// \file
/// Integers beyond 64 bits between decimal digits and the bytes of CBOR.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "formats/cbor/big_integer.hpp"

namespace {

namespace cbor = safestructures::cbor;
using Bytes = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("digits and bytes of large integers are those of Python's int") {
  struct Case {
    std::string digits;
    Bytes bytes;
  };
  const std::vector<Case> cases = {
      {"0", {}},
      {"1", {1}},
      {"999999999", {0x3B, 0x9A, 0xC9, 0xFF}},
      {"1000000000", {0x3B, 0x9A, 0xCA, 0x00}},
      {"4294967295", {0xFF, 0xFF, 0xFF, 0xFF}},
      {"4294967296", {1, 0, 0, 0, 0}},
      {"999999999999999999", {0x0D, 0xE0, 0xB6, 0xB3, 0xA7, 0x63, 0xFF, 0xFF}},
      {"18446744073709551616", {1, 0, 0, 0, 0, 0, 0, 0, 0}},
      {"100000000000000000000", {0x05, 0x6B, 0xC7, 0x5E, 0x2D, 0x63, 0x10, 0x00, 0x00}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.digits);
    CHECK(cbor::big_from_digits(one.digits) == one.bytes);
    CHECK(cbor::digits_of_big(one.bytes) == one.digits);
    Bytes padded = one.bytes;
    padded.insert(padded.begin(), 3, 0);
    CHECK(cbor::digits_of_big(padded) == one.digits);
  }
}

TEST_CASE("large integers of any length come back, with what is one more and less") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (std::size_t length = 1; length <= 4300; length += 1 + length / 8) {
    std::string digits(1, static_cast<char>('1' + random() % 9));
    while (digits.size() < length) digits += static_cast<char>('0' + random() % 10);
    CAPTURE(digits);
    Bytes bytes = cbor::big_from_digits(digits);
    REQUIRE(cbor::digits_of_big(bytes) == digits);
    // Of ten times as much the digits are the same, and a zero.
    CHECK(cbor::big_from_digits(digits + "0") == [&] {
      Bytes product(bytes.size() + 1);
      unsigned carry = 0;
      for (std::size_t i = bytes.size(); i-- > 0; carry >>= 8U) {
        carry += bytes[i] * 10U;
        product[i + 1] = static_cast<std::uint8_t>(carry);
      }
      product[0] = static_cast<std::uint8_t>(carry);
      if (carry == 0) product.erase(product.begin());
      return product;
    }());
    cbor::add_one(bytes);
    cbor::subtract_one(bytes);
    CHECK(cbor::digits_of_big(bytes) == digits);
  }
}
