#include "formats/json_marks.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace safestructures::detail {
namespace {

// U+FDD0 and U+FDD1 are noncharacters, kept free by Unicode for uses inside a program. U+FDD0 and
// four hexadecimal digits stand for a UTF-16 unit; U+FDD1 and digits, as a whole string, for an
// integer. A text that has one of the two itself gets it marked too, as a unit.
constexpr std::string_view unit_mark = "\xef\xb7\x90";
constexpr std::string_view integer_mark = "\xef\xb7\x91";
constexpr std::uint32_t unit_mark_code = 0xfdd0;
constexpr std::uint32_t integer_mark_code = 0xfdd1;

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
  text += unit_mark;
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(unit >> shift) & 15];
}

/// Copies a string's content up to its closing quote; returns what is left of `json` from there on.
std::string_view mark_string(std::string_view json, std::string& marked) {
  while (!json.empty() && json.front() != '"') {
    std::size_t taken = 1;
    std::optional<std::uint32_t> mark;
    if (json.starts_with(unit_mark) || json.starts_with(integer_mark)) {
      mark = json.starts_with(unit_mark) ? unit_mark_code : integer_mark_code;
      taken = unit_mark.size();
    } else if (const auto unit = escape_at(json)) {
      taken = 6;
      if (is_high(*unit) && is_low(escape_at(json.substr(6)).value_or(0))) taken = 12;
      else if (is_high(*unit) || is_low(*unit) || *unit == unit_mark_code ||
               *unit == integer_mark_code)
        mark = unit;
    } else if (json.front() == '\\') {
      taken = std::min<std::size_t>(2, json.size());
    }
    if (mark) append_mark(marked, *mark);
    else marked.append(json.substr(0, taken));
    json.remove_prefix(taken);
  }
  return json;
}

bool is_number_character(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool is_long_integer(std::string_view number) {
  const bool negative = number.starts_with('-');
  const std::string_view digits = number.substr(negative ? 1 : 0);
  return digits.size() >= 19 && digits.front() != '0' &&
         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string mark_json(std::string_view json) {
  std::string marked;
  marked.reserve(json.size() + json.size() / 8);
  while (!json.empty()) {
    const char c = json.front();
    if (c == '"') {
      marked += c;
      json = mark_string(json.substr(1), marked);
      if (json.empty()) break;
      marked += '"';
      json.remove_prefix(1);
    } else if (is_number_character(c)) {
      const auto end = std::ranges::find_if_not(json, is_number_character);
      const std::string_view number = json.substr(0, static_cast<std::size_t>(end - json.begin()));
      if (is_long_integer(number)) {
        marked += '"';
        marked += integer_mark;
        marked += number;
        marked += '"';
      } else {
        marked += number;
      }
      json.remove_prefix(number.size());
    } else {
      marked += c;
      json.remove_prefix(1);
    }
  }
  return marked;
}

std::string unmark_string(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t next = std::min(text.find(unit_mark), text.size());
    result.append(text.substr(0, next));
    text.remove_prefix(next);
    if (text.empty()) break;
    const std::uint32_t code = hex4(text.substr(unit_mark.size())).value_or(unit_mark_code);
    result += static_cast<char>(0xe0 | (code >> 12));
    result += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    result += static_cast<char>(0x80 | (code & 0x3f));
    text.remove_prefix(std::min(unit_mark.size() + 4, text.size()));
  }
  return result;
}

std::optional<std::string_view> unmark_integer(std::string_view text) {
  if (!text.starts_with(integer_mark)) return std::nullopt;
  return text.substr(integer_mark.size());
}

}  // namespace safestructures::detail
