#include "formats/json/text.hpp"

#include <cstdint>

#include "data/printable.hpp"

namespace safestructures::json {
namespace {

void append_escape(std::string& json, std::uint32_t unit) {
  json += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) json += "0123456789abcdef"[unit >> shift & 15U];
}

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

std::size_t append_string(std::string& json, std::string_view text) {
  json += '"';
  std::uint32_t last = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t end = i;
    while (end < text.size() && is_plain(text[end])) ++end;
    if (end > i) last = 0;
    json.append(text, i, end - i);
    if (end == text.size()) break;
    i = end;
    const detail::CodePoint code = detail::first_code_point(text.substr(i, 4));
    if (!code.is_valid) return i;
    // WTF-8 has a pair of surrogates in four bytes; in six it would be read as another text.
    const bool is_low = code.value >= 0xDC00 && code.value < 0xE000;
    if (is_low && last >= 0xD800 && last < 0xDC00) return i;
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
        if (detail::is_unsafe(code.value)) append_escape(json, code.value);
        else json.append(text, i, code.size);
    }
    i += code.size;
  }
  json += '"';
  return std::string_view::npos;
}

}  // namespace safestructures::json
