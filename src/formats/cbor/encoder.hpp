/// \file
/// An encoder of CBOR (RFC 8949): definite lengths, integers and floats in the fewest bytes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <safestructures/data/minifloat.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::cbor {

/// Appends values to a text.
class Encoder {
 public:
  /// \param text must outlive this
  explicit Encoder(std::string& text) : text_(text) {}

  void null() { byte(0xF6); }
  void boolean(bool value) { byte(value ? 0xF5 : 0xF4); }
  void unsigned_integer(std::uint64_t value) { head(0, value); }
  void integer(std::int64_t value) {
    if (value < 0) head(1, ~static_cast<std::uint64_t>(value));
    else head(0, static_cast<std::uint64_t>(value));
  }
  static bool takes(const Value&) { return true; }
  /// Appends an integer of any size.
  void integer(const Value& value);
  void text(std::string_view value) {
    string(value.size());
    text_ += value;
  }
  /// Appends the head of a text; that many bytes follow.
  void string(std::uint64_t size) { head(3, size); }
  void bytes(std::uint64_t size) { head(2, size); }
  void tag(std::uint64_t number) { head(6, number); }
  /// Appends the head of an array; that many items follow.
  void array(std::uint64_t count) { head(4, count); }
  /// Appends the head of a map; that many keys follow, each with its value after it.
  void map(std::uint64_t count) { head(5, count); }
  /// Appends a half, single or double: the first that holds the number exactly.
  void floating(double value) {
    const half smallest(value);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(nan))
      return tagged(0xF9, 0x7E00, 2);
    if (static_cast<double>(smallest) == value) return tagged(0xF9, smallest.bits(), 2);
    if (std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())) {
      const auto single = static_cast<float>(value);
      if (static_cast<double>(single) == value)
        return tagged(0xFA, std::bit_cast<std::uint32_t>(single), 4);
    }
    tagged(0xFB, std::bit_cast<std::uint64_t>(value), 8);
  }

 private:
  void byte(unsigned value) { text_ += static_cast<char>(value); }
  void tagged(unsigned tag, std::uint64_t bits, unsigned bytes) {
    byte(tag);
    while (bytes-- > 0) byte(static_cast<unsigned>(bits >> (8 * bytes) & 0xFFU));
  }
  void head(unsigned type, std::uint64_t value) {
    const unsigned tag = type << 5U;
    if (value < 24) byte(tag | static_cast<unsigned>(value));
    else if (value <= 0xFF) tagged(tag | 24U, value, 1);
    else if (value <= 0xFFFF) tagged(tag | 25U, value, 2);
    else if (value <= 0xFFFFFFFF) tagged(tag | 26U, value, 4);
    else tagged(tag | 27U, value, 8);
  }

  std::string& text_;
};

}  // namespace safestructures::inline v0::cbor
