#include "formats/safetensors/json_text.hpp"

#include <array>
#include <utility>

#include "formats/safetensors/json_quotes.hpp"

namespace safestructures::inline v0::safetensors::detail {
namespace {

// The four hexadecimal digits at `from`, or nothing.
std::optional<std::uint32_t> code_unit(const char* from, const char* end) noexcept {
  if (end - from < 4) return std::nullopt;
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(from[i]);
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

char* append_utf8(std::uint32_t code, char* target) noexcept {
  const auto put = [&](std::uint32_t byte) { *target++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6U);
    put(0x80 | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12U);
    put(0x80 | (code >> 6U & 0x3FU));
    put(0x80 | (code & 0x3FU));
  } else {
    put(0xF0 | code >> 18U);
    put(0x80 | (code >> 12U & 0x3FU));
    put(0x80 | (code >> 6U & 0x3FU));
    put(0x80 | (code & 0x3FU));
  }
  return target;
}

bool is_surrogate(std::uint32_t unit, std::uint32_t first) noexcept {
  return (unit & 0xFC00U) == first;
}

// The low half of a pair, behind the escape of its high half at `from`.
std::optional<std::uint32_t> low_half(const char* from, const char* end) noexcept {
  if (end - from < 6 || from[0] != '\\' || from[1] != 'u') return std::nullopt;
  const std::optional<std::uint32_t> low = code_unit(from + 2, end);
  return low && is_surrogate(*low, 0xDC00) ? low : std::nullopt;
}

bool is_plain_byte(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

StringFault unescape_one(const char*& from, const char* end, char*& target,
                         LoneSurrogates lone) noexcept {
  if (from == end) return StringFault::no_end;
  if (*from == '"') {  // By far the most frequent: a schema is JSON in a JSON string.
    *target++ = *from++;
    return StringFault::none;
  }
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (const std::size_t index = escape_letters.find(*from); index != std::string_view::npos) {
    *target++ = meanings[index];
    ++from;
    return StringFault::none;
  }
  if (*from != 'u') return StringFault::bad_escape;
  const std::optional<std::uint32_t> unit = code_unit(from + 1, end);
  if (!unit) return StringFault::bad_escape;
  std::uint32_t code = *unit;
  std::ptrdiff_t length = 5;
  if (is_surrogate(code, 0xD800)) {
    if (const auto low = low_half(from + length, end)) {
      code = 0x10000 + ((code & 0x3FFU) << 10U) + (*low & 0x3FFU);
      length = 11;
    }
  }
  if (lone == LoneSurrogates::fault && code >= 0xD800 && code < 0xE000)
    return StringFault::lone_surrogate;
  target = append_utf8(code, target);
  from += length;
  return StringFault::none;
}

Unescaped unescape(const char* from, const char* end, char* target) noexcept {
  bool has_controls = false;
  for (;;) {
    unescape_quotes(from, end, target);
    // Eight bytes at a time, of which those behind a quote or backslash are overwritten.
    while (end - from >= 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, from, 8);
      std::memcpy(target, &bytes, 8);
      const std::uint64_t controls = mark_controls(bytes);
      if (const std::uint64_t marks = mark_special(bytes); marks != 0) {
        // The lowest mark is exact, and a schema has a quote or backslash in almost every block.
        const int lowest = std::countr_zero(marks);
        has_controls |= (controls & ((std::uint64_t{1} << lowest) - 1)) != 0;
        from += lowest / 8;
        target += lowest / 8;
        break;
      }
      has_controls |= controls != 0;
      from += 8;
      target += 8;
    }
    for (; from != end && *from != '"' && *from != '\\'; *target++ = *from++)
      has_controls |= static_cast<unsigned char>(*from) < 0x20;
    if (from == end) return {target, from, StringFault::no_end, has_controls};
    if (*from == '"') return {target, from + 1, StringFault::none, has_controls};
    const char* const escape_at = from++;
    const StringFault fault = unescape_one(from, end, target, LoneSurrogates::fault);
    if (fault != StringFault::none) return {target, escape_at, fault, has_controls};
  }
}

bool is_plain(std::string_view text) noexcept {
  const char* from = text.data();
  const char* const end = from + text.size();
  for (; end - from >= 8; from += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, from, 8);
    if ((bytes & 0x8080808080808080U) != 0 || (mark_special(bytes) | mark_controls(bytes)) != 0)
      return false;
  }
  for (; from != end; ++from) {
    if (!is_plain_byte(*from)) return false;
  }
  return true;
}

char* escape(std::string_view text, char* target) noexcept {
  const char* from = text.data();
  const char* const end = from + text.size();
  for (;;) {
    escape_quotes(from, end, target);
    while (end - from >= 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, from, 8);
      std::memcpy(target, &bytes, 8);
      if ((mark_special(bytes) | mark_controls(bytes)) != 0) break;
      from += 8;
      target += 8;
    }
    const char* const block_end = end - from >= 8 ? from + 8 : end;
    for (; from != block_end; ++from) {
      const char c = *from;
      if (c == '"' || c == '\\') {
        *target++ = '\\';
        *target++ = c;
      } else if (static_cast<unsigned char>(c) >= 0x20) {
        *target++ = c;
      } else {
        constexpr std::string_view letters = "btnvfr";
        *target++ = '\\';
        if (c >= '\b' && c <= '\r' && c != '\v') {
          *target++ = letters[static_cast<std::size_t>(c - '\b')];
        } else {
          constexpr std::string_view digits = "0123456789abcdef";
          std::memcpy(target, "u00", 3);
          target[3] = digits[static_cast<unsigned char>(c) >> 4U];
          target[4] = digits[static_cast<unsigned char>(c) & 0xFU];
          target += 5;
        }
      }
    }
    if (from == end) return target;
  }
}

std::string for_message(std::string_view text) {
  constexpr std::size_t longest = 100;
  std::string_view shown = text;
  if (text.size() > longest) {
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80) --cut;
    shown = text.substr(0, cut);
  }
  std::string message;
  if (is_plain(shown)) {
    message = shown;
  } else if (!find_invalid_utf8(shown)) {
    message.resize(escaped_bound(shown.size()));
    message.resize(static_cast<std::size_t>(escape(shown, message.data()) - message.data()));
  } else {
    // Not for JSON, so any spelling that shows the bytes will do.
    for (const char c : shown) {
      if (is_plain_byte(c)) {
        message += c;
      } else {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        message += "\\x";
        message += digits[byte >> 4U];
        message += digits[byte & 0xFU];
      }
    }
  }
  if (shown.size() != text.size()) message += "...";
  return message;
}

}  // namespace safestructures::inline v0::safetensors::detail
