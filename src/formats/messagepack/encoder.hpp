/// \file
/// An encoder of MessagePack: every value in the fewest bytes.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "formats/messagepack/marks.hpp"

namespace safestructures::inline v0::messagepack {

/// Appends values to a text.
class Encoder {
 public:
  /// \param text must outlive this
  explicit Encoder(std::string& text) : text_(text) {}

  void null() { mark(Mark::nil); }
  void boolean(bool value) { mark(value ? Mark::yes : Mark::no); }
  void unsigned_integer(std::uint64_t value) {
    if (value <= largest_fixint) byte(static_cast<unsigned>(value));
    else if (fits<std::uint8_t>(value)) marked<std::uint8_t>(Mark::uint8, value);
    else if (fits<std::uint16_t>(value)) marked<std::uint16_t>(Mark::uint16, value);
    else if (fits<std::uint32_t>(value)) marked<std::uint32_t>(Mark::uint32, value);
    else marked<std::uint64_t>(Mark::uint64, value);
  }
  /// Appends an integer; one that is not negative is written as unsigned.
  void integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0) unsigned_integer(bits);
    else if (value >= -32) byte(static_cast<unsigned>(bits) & 0xFFU);
    else if (value >= std::numeric_limits<std::int8_t>::min())
      marked<std::uint8_t>(Mark::int8, bits);
    else if (value >= std::numeric_limits<std::int16_t>::min())
      marked<std::uint16_t>(Mark::int16, bits);
    else if (value >= std::numeric_limits<std::int32_t>::min())
      marked<std::uint32_t>(Mark::int32, bits);
    else marked<std::uint64_t>(Mark::int64, bits);
  }
  /// Returns whether it fits into 64 bits.
  static bool takes(const Value& integer) { return integer.as_int64() || integer.as_uint64(); }
  /// \param value one that `takes` accepts
  void integer(const Value& value) {
    if (const std::optional<std::int64_t> small = value.as_int64()) integer(*small);
    else unsigned_integer(*value.as_uint64());
  }
  void floating(double value) { float64(std::bit_cast<std::uint64_t>(value)); }
  void float32(std::uint32_t bits) { marked<std::uint32_t>(Mark::float32, bits); }
  void float64(std::uint64_t bits) { marked<std::uint64_t>(Mark::float64, bits); }
  /// Appends the head of a text; that many bytes follow.
  void string(std::size_t size) {
    constexpr std::size_t most_fixed = 31;
    if (size <= most_fixed) byte(fixstr | static_cast<unsigned>(size));
    else sized(size, Mark::str8, Mark::str16, Mark::str32);
  }
  void bytes(std::uint64_t size) { sized(size, Mark::bin8, Mark::bin16, Mark::bin32); }
  /// Appends the head of an array; that many items follow.
  void array(std::size_t count) { counted(count, fixarray, Mark::array16, Mark::array32); }
  /// Appends the head of a map; that many keys follow, each with its value after it.
  void map(std::size_t count) { counted(count, fixmap, Mark::map16, Mark::map32); }

  /// \throws Error `out_of_range` for a length that MessagePack cannot express
  static std::uint32_t checked(std::uint64_t size) {
    if (!fits<std::uint32_t>(size))
      throw Error(ErrorCode::out_of_range, "a value is too large for MessagePack",
                  {.expected = "at most 4294967295 bytes or items",
                   .found = std::to_string(size),
                   .advice = "Save it in another format, such as safetensors"});
    return static_cast<std::uint32_t>(size);
  }

 private:
  template <class T>
  static bool fits(std::uint64_t value) {
    return value <= std::numeric_limits<T>::max();
  }
  void byte(unsigned value) { text_ += static_cast<char>(value); }
  void mark(Mark mark) { byte(static_cast<unsigned>(mark)); }
  template <std::unsigned_integral T>
  void marked(Mark mark_of, std::uint64_t value) {
    mark(mark_of);
    for (std::size_t i = sizeof(T); i-- > 0;) byte(static_cast<unsigned>(value >> (8 * i)) & 0xFFU);
  }
  void sized(std::uint64_t size, Mark mark8, Mark mark16, Mark mark32) {
    if (fits<std::uint8_t>(size)) marked<std::uint8_t>(mark8, size);
    else if (fits<std::uint16_t>(size)) marked<std::uint16_t>(mark16, size);
    else marked<std::uint32_t>(mark32, checked(size));
  }
  void counted(std::size_t count, unsigned fixed, Mark mark16, Mark mark32) {
    constexpr std::size_t most_fixed = 15;
    if (count <= most_fixed) byte(fixed | static_cast<unsigned>(count));
    else if (fits<std::uint16_t>(count)) marked<std::uint16_t>(mark16, count);
    else marked<std::uint32_t>(mark32, checked(count));
  }

  std::string& text_;
};

}  // namespace safestructures::inline v0::messagepack
