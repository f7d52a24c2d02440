#include "data/text/json_text.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <safestructures/data/error.hpp>
#include "data/text/json_quotes.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0::json {
namespace {

// Returns the value of the four hexadecimal digits at `from`; null if there are none.
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

// Returns the low half of a surrogate pair, whose escape is expected at `from`, after that of the
// high half; null if it is not there.
std::optional<std::uint32_t> low_half(const char* from, const char* end) noexcept {
  if (end - from < 6 || from[0] != '\\' || from[1] != 'u') return std::nullopt;
  const std::optional<std::uint32_t> low = code_unit(from + 2, end);
  return low && is_surrogate(*low, 0xDC00) ? low : std::nullopt;
}

bool is_plain_byte(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

void append_unit(std::string& json, std::uint32_t unit) {
  json += "\\u";
  detail::append_hex(json, unit, 4);
}

void append_escape(std::string& json, std::uint32_t code) {
  if (code < 0x10000) return append_unit(json, code);
  append_unit(json, 0xd7c0 + (code >> 10U));
  append_unit(json, 0xdc00 + (code & 0x3ffU));
}

/// \param fault is called with the offset of each byte that is not UTF-8, and of the second half of
/// a surrogate pair in six bytes
template <class Fault>
void append_quoted(std::string& json, std::string_view text, Escapes escapes, Fault fault) {
  json += '"';
  std::uint32_t last = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t end = i;
    while (end < text.size() && is_plain_byte(text[end]) && text[end] != '\x7f') ++end;
    if (end > i) last = 0;
    json.append(text, i, end - i);
    if (end == text.size()) break;
    i = end;
    const detail::CodePoint code = detail::first_code_point(text.substr(i, 4));
    const bool is_low = code.value >= 0xdc00 && code.value < 0xe000;
    if (!code.is_valid || (is_low && last >= 0xd800 && last < 0xdc00)) fault(i);
    last = code.value;
    switch (code.value) {
      case '"': json += "\\\""; break;
      case '\\': json += "\\\\"; break;
      case '\n': json += "\\n"; break;
      case '\r': json += "\\r"; break;
      case '\t': json += "\\t"; break;
      case '\f': json += "\\f"; break;
      case '\b': json += "\\b"; break;
      default:
        if (!code.is_valid || escapes == Escapes::all || detail::is_unsafe(code.value))
          append_escape(json, code.value);
        else json.append(text, i, code.size);
    }
    i += code.size;
  }
  json += '"';
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
    // Copies eight bytes at a time; those after a quote or backslash are overwritten later.
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

void append_escaped(std::string& json, std::string_view text) {
  // In pieces, because the bound is six times the text.
  constexpr std::size_t piece = std::size_t{4} << 10U;
  std::array<char, escaped_bound(piece)> room;
  json += '"';
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    json.append(room.data(), escape(text.substr(0, piece), room.data()));
  json += '"';
}

void append_string(std::string& json, std::string_view text, Escapes escapes, const Trace* trace) {
  append_quoted(json, text, escapes, [&](std::size_t offset) {
    throw Error(
        ErrorCode::invalid_utf8, "a string is not UTF-8",
        {.path = to_string(trace),
         .found = "a malformed sequence at byte " + std::to_string(offset) + " of the string",
         .advice = "Store binary data as bytes, for example std::vector<std::byte>"});
  });
}

std::string quote(std::string_view text, Escapes escapes) {
  std::string json;
  append_quoted(json, text, escapes, [](std::size_t) {});
  return json;
}

std::string in_ascii(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    const detail::CodePoint code = detail::first_code_point(json);
    if (code.value < 0x7f) text += static_cast<char>(code.value);
    else append_escape(text, code.value);
    json.remove_prefix(code.size);
  }
  return text;
}

}  // namespace safestructures::inline v0::json
