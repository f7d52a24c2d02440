/// \file
/// Text for messages and terminals; makes text from files harmless.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Returns `1 byte`, `5 bytes`.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + ' ';
  text += noun;
  if (count != 1) text += 's';
  return text;
}

/// The code point at the start of a text and its size in bytes. For a byte that starts none, `size`
/// is 1 and `is_valid` false. Surrogates count as code points, as in WTF-8.
struct CodePoint {
  std::uint32_t value;
  std::size_t size;
  bool is_valid;
};

inline CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const CodePoint invalid{byte(0), 1, false};
  if (byte(0) < 0x80) return {byte(0), 1, true};
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return invalid;
  std::uint32_t value = byte(0) & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return invalid;
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[size] || value > 0x10ffff) return invalid;
  return {value, size, true};
}

/// Whether a code point can control a terminal or change the reading order of a line: ASCII and
/// Latin-1 control characters, line and paragraph separators, directional marks (Trojan Source,
/// CVE-2021-42574).
inline bool is_unsafe(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
         (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || (code >= 0xd800 && code <= 0xdfff);
}

/// Appends the lowest `digits` hexadecimal digits.
inline void append_hex(std::string& out, std::uint32_t value, unsigned digits) {
  for (unsigned i = digits; i-- > 0;) out += "0123456789abcdef"[value >> (4 * i) & 15];
}

/// Appends a text on one line, escaping everything that is unsafe or not UTF-8.
/// \param quoted also escapes `"` and `\`, for text in quotes
inline void append_printable(std::string& out, std::string_view text, bool quoted = false) {
  const auto is_plain = [quoted](char one) {
    return one >= 0x20 && one < 0x7f && !(quoted && (one == '"' || one == '\\'));
  };
  while (!text.empty()) {
    const auto other = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), other);
    text.remove_prefix(static_cast<std::size_t>(other - text.begin()));
    if (text.empty()) return;
    const CodePoint code = first_code_point(text);
    if (!code.is_valid || (code.value < 0x80 && is_unsafe(code.value))) {
      if (code.value == '\n') out += "\\n";
      else if (code.value == '\t') out += "\\t";
      else if (code.value == '\r') out += "\\r";
      else {
        out += "\\x";
        append_hex(out, code.value, 2);
      }
    } else if (is_unsafe(code.value)) {
      out += "\\u";
      append_hex(out, code.value, 4);
    } else {
      if (quoted && (code.value == '"' || code.value == '\\')) out += '\\';
      out += text.substr(0, code.size);
    }
    text.remove_prefix(code.size);
  }
}

/// Returns the result of `append_printable`.
inline std::string printable(std::string_view text) {
  std::string shown;
  append_printable(shown, text);
  return shown;
}

/// Returns the first bytes of a text, at most `limit`, and never a part of a UTF-8 sequence.
inline std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  std::size_t end = limit;
  // Further back only bytes that are not UTF-8 continue, which may be cut anywhere.
  while (end > 0 && limit - end < 3 && continues(end)) --end;
  return text.substr(0, continues(end) ? limit : end);
}

/// Returns the result of `cut`, with `...` for the rest.
inline std::string shortened(std::string_view text, std::size_t limit) {
  const std::string_view kept = cut(text, limit);
  std::string shown(kept);
  if (kept.size() < text.size()) shown += "...";
  return shown;
}

/// Returns a text from a file for an error message: shortened, on one line, without anything
/// unsafe.
inline std::string for_message(std::string_view text, std::size_t limit = 100) {
  std::string message;
  append_printable(message, shortened(text, limit), true);
  return message;
}

/// Returns `for_message` in quotes.
inline std::string in_quotes(std::string_view text) { return '"' + for_message(text) + '"'; }

}  // namespace safestructures::inline v0::detail
