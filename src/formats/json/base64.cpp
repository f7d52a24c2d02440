#include "formats/json/base64.hpp"

#include <array>
#include <cstdint>

namespace safestructures::inline v0::json {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> digit_values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

}  // namespace

void append_base64(std::string& text, std::span<const std::byte> bytes) {
  const auto at = [&](std::size_t i) {
    return i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = at(i) << 16U | at(i + 1) << 8U | at(i + 2);
    text += alphabet[group >> 18U];
    text += alphabet[group >> 12U & 63U];
    text += i + 1 < bytes.size() ? alphabet[group >> 6U & 63U] : '=';
    text += i + 2 < bytes.size() ? alphabet[group & 63U] : '=';
  }
}

std::optional<std::size_t> decode_base64(std::string_view text, std::byte* target,
                                         std::size_t& bad) noexcept {
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    std::size_t digits = 0;
    while (digits < 4 && i + digits < text.size()) {
      const std::uint8_t value = digit_values[static_cast<unsigned char>(text[i + digits])];
      if (value == no_digit) break;
      group = group << 6U | value;
      ++digits;
    }
    bad = i + digits;
    if (digits < 4) {
      // The last group: two digits stand for one byte, three for two.
      if (i + 4 != text.size() || digits < 2) return std::nullopt;
      for (std::size_t k = digits; k < 4; ++k) {
        bad = i + k;
        if (text[bad] != '=') return std::nullopt;
      }
      const auto unused = static_cast<unsigned>(digits == 2 ? 4 : 2);
      bad = i + digits - 1;
      if ((group & ((1U << unused) - 1U)) != 0) return std::nullopt;
      group <<= 6 * (4 - digits);
    }
    for (std::size_t k = 0; k + 1 < digits; ++k)
      target[size++] = static_cast<std::byte>(group >> (16 - 8 * k) & 0xFFU);
  }
  return size;
}

}  // namespace safestructures::inline v0::json
