#include "data/text/short_number.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace safestructures::inline v0::detail {
namespace {

// 10^-25 to 10^25, each with an error of at most half of its last bit.
constexpr int largest_exponent = 25;
constexpr std::array<double, 2 * largest_exponent + 1> powers = {
    1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13,
    1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,  1e0,
    1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,
    1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22,  1e23,  1e24,  1e25};
constexpr double largest = 1e22;
constexpr double smallest = 1e-22;

/// A magnitude times a power of ten, rounded to an integer; not sure if the product is closer to a
/// half than its error.
struct Rounded {
  Rounded(double magnitude, double power) {
    // For numbers below 10^7, three roundings give an error of at most 10^-8.
    constexpr double near = 1e-7;
    const double scaled = magnitude * power;
    whole = static_cast<std::uint64_t>(scaled);
    const double rest = scaled - static_cast<double>(whole);
    is_sure = std::abs(rest - 0.5) > near;
    if (rest > 0.5) ++whole;
  }

  std::uint64_t whole;
  bool is_sure;
};

/// Formats any number, but slower.
void append_exactly(std::string& text, double number, std::chars_format format, int digits) {
  // The longest is the largest double with one digit after the point.
  std::array<char, 320> room;
  text.append(room.data(),
              std::to_chars(room.data(), room.data() + room.size(), number, format, digits).ptr);
}

char digit(std::uint64_t number) { return static_cast<char>('0' + number % 10); }

}  // namespace

// `std::to_chars` takes 90 ns per number, and the table of `diff` has four in each row.
void append_scientific(std::string& text, double number) {
  const double magnitude = std::abs(number);
  if (!(magnitude > smallest && magnitude < largest))
    return append_exactly(text, number, std::chars_format::scientific, 2);
  // The decimal exponent of the power of two below: that of the number, or one less.
  const int binary = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52U) - 1023;
  int exponent = binary * 1233 >> 12;
  const auto power = [&exponent] {
    return powers[static_cast<std::size_t>(largest_exponent + 2 - exponent)];
  };
  Rounded found(magnitude, power());
  if (found.whole >= 1000) {
    ++exponent;
    found = Rounded(magnitude, power());
  }
  if (!found.is_sure) return append_exactly(text, number, std::chars_format::scientific, 2);
  const int shown = std::abs(exponent);
  const std::array<char, 8> digits = {digit(found.whole / 100),
                                      '.',
                                      digit(found.whole / 10),
                                      digit(found.whole),
                                      'e',
                                      exponent < 0 ? '-' : '+',
                                      static_cast<char>('0' + shown / 10),
                                      static_cast<char>('0' + shown % 10)};
  if (number < 0) text += '-';
  text.append(digits.data(), digits.size());
}

void append_tenths(std::string& text, double number) {
  const double magnitude = std::abs(number);
  if (!(magnitude < 1e5)) return append_exactly(text, number, std::chars_format::fixed, 1);
  const Rounded found(magnitude, 10);
  if (!found.is_sure) return append_exactly(text, number, std::chars_format::fixed, 1);
  std::array<char, 9> room;  // `-100000.0`.
  char* const end = room.data() + room.size();
  char* begin = end;
  *--begin = digit(found.whole);
  *--begin = '.';
  std::uint64_t rest = found.whole / 10;
  do *--begin = digit(rest);
  while ((rest /= 10) != 0);
  if (std::signbit(number)) *--begin = '-';
  text.append(begin, end);
}

}  // namespace safestructures::inline v0::detail
