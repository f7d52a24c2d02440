#include "formats/burn/param_id.hpp"

#include <cstddef>

namespace safestructures::inline v0::burn {
namespace {

constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";
constexpr unsigned bits_of_digit = 5;

std::optional<unsigned> value_of(char digit) noexcept {
  if (digit >= 'A' && digit <= 'V') digit = static_cast<char>(digit - 'A' + 'a');
  const std::size_t value = digits.find(digit);
  if (value == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(value);
}

}  // namespace

std::string param_id_text(std::uint64_t id) {
  std::string text;
  unsigned bits = 0;  // The bits that are not spelled yet: the lowest `count`.
  unsigned count = 0;
  for (unsigned byte = 0; byte < sizeof id; ++byte) {
    bits = (bits << 8U | static_cast<unsigned>(id >> (8 * byte) & 0xFFU)) & 0xFFFU;
    for (count += 8; count >= bits_of_digit; count -= bits_of_digit)
      text += digits[bits >> (count - bits_of_digit) & 31U];
  }
  return text += digits[bits << (bits_of_digit - count) & 31U];
}

std::optional<std::uint64_t> parse_param_id(std::string_view text) noexcept {
  if (!text.empty() && text.size() != 10 && text.size() != 13) return std::nullopt;
  std::uint64_t id = 0;
  unsigned bits = 0;
  unsigned count = 0;
  unsigned byte = 0;
  for (const char digit : text) {
    const std::optional<unsigned> value = value_of(digit);
    if (!value) return std::nullopt;
    bits = (bits << bits_of_digit | *value) & 0xFFFU;
    count += bits_of_digit;
    if (count < 8) continue;
    count -= 8;
    id |= std::uint64_t{bits >> count & 0xFFU} << (8 * byte++);
  }
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return id;
}

}  // namespace safestructures::inline v0::burn
