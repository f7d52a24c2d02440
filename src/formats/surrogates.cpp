#include "formats/surrogates.hpp"

#include <charconv>
#include <cstdint>

namespace safestructures::detail {
namespace {

// A mark is U+FDD0 and four hexadecimal digits. U+FDD0 is a noncharacter, kept free by Unicode for
// uses inside a program; a text that has it all the same gets it marked too, as itself ("fdd0").
constexpr std::string_view mark = "\xef\xb7\x90";

std::optional<std::uint32_t> hex4(std::string_view text) {
  std::uint32_t value = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (error != std::errc() || end != text.data() + 4) return std::nullopt;
  return value;
}

/// The unit of the escape `\uXXXX` at the start of `json`.
std::optional<std::uint32_t> escape_at(std::string_view json) {
  return json.starts_with("\\u") ? hex4(json.substr(2)) : std::nullopt;
}

bool is_high(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

void append_mark(std::string& text, std::uint32_t unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  text += mark;
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(unit >> shift) & 15];
}

}  // namespace

std::optional<std::string> mark_lone_surrogates(std::string_view json) {
  std::string marked;
  bool found = false;
  std::size_t i = 0;
  while (i < json.size()) {
    const std::size_t next = std::min(json.find_first_of("\\\xef", i), json.size());
    marked.append(json, i, next - i);
    i = next;
    const std::string_view rest = json.substr(i);
    if (rest.starts_with(mark)) {
      append_mark(marked, 0xfdd0);
      i += mark.size();
      continue;
    }
    const auto unit = escape_at(rest);
    if (!unit) {
      // Another escape, with the character after the backslash: "\\u" is no \u escape.
      const std::size_t length = rest.starts_with('\\') ? 2 : 1;
      marked.append(rest.substr(0, length));
      i += length;
    } else if (is_high(*unit) && is_low(escape_at(rest.substr(6)).value_or(0))) {
      marked.append(rest.substr(0, 12));
      i += 12;
    } else if (is_high(*unit) || is_low(*unit)) {
      append_mark(marked, *unit);
      found = true;
      i += 6;
    } else if (*unit == 0xfdd0) {
      append_mark(marked, *unit);
      i += 6;
    } else {
      marked.append(rest.substr(0, 6));
      i += 6;
    }
  }
  return found ? std::optional(std::move(marked)) : std::nullopt;
}

std::string unmark_lone_surrogates(std::string_view text) {
  std::string result;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t next = std::min(text.find(mark, i), text.size());
    result.append(text, i, next - i);
    if (next == text.size()) break;
    const auto unit = hex4(text.substr(next + mark.size()));
    const std::uint32_t code = unit.value_or(0xfdd0);
    result += static_cast<char>(0xe0 | (code >> 12));
    result += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    result += static_cast<char>(0x80 | (code & 0x3f));
    i = next + mark.size() + (unit ? 4 : 0);
  }
  return result;
}

}  // namespace safestructures::detail
