#include "data/text/utf8.hpp"

#include <cstdint>
#include <cstring>

#include "data/text/printable.hpp"

namespace safestructures::inline v0::detail {
namespace {

// The length of the sequence that begins with `lead`, and the range of its second byte, which
// excludes overlong forms, surrogates and code points above U+10FFFF.
struct Sequence {
  std::size_t length;
  unsigned char low;
  unsigned char high;
};
Sequence sequence_of(unsigned char lead) noexcept {
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    if (text.size() - i >= 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, text.data() + i, 8);
      if ((bytes & 0x8080808080808080U) == 0) {
        i += 8;
        continue;
      }
    }
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const Sequence sequence = sequence_of(lead);
    if (sequence.length == 0 || text.size() - i < sequence.length) return i;
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if (second < sequence.low || second > sequence.high) return i;
    for (std::size_t k = 2; k < sequence.length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80) return i;
    }
    i += sequence.length;
  }
  return std::nullopt;
}

std::optional<std::size_t> find_invalid_wtf8(std::string_view text) noexcept {
  std::size_t at = 0;
  while (const auto bad = find_invalid_utf8(text.substr(at))) {
    at += *bad;
    const auto is_half = [&](std::size_t from, std::uint32_t low, std::uint32_t high) {
      if (from >= text.size()) return false;
      const CodePoint code = first_code_point(text.substr(from));
      return code.is_valid && code.value >= low && code.value < high;
    };
    if (!is_half(at, 0xD800, 0xE000)) return at;
    if (is_half(at, 0xD800, 0xDC00) && is_half(at + 3, 0xDC00, 0xE000)) return at + 3;
    at += 3;
  }
  return std::nullopt;
}

}  // namespace safestructures::inline v0::detail
