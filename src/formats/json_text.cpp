#include "formats/json_text.hpp"

#include <cstdint>

namespace safestructures::detail {
namespace {

void append_escape(std::string& json, std::uint32_t unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  json += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) json += digits[(unit >> shift) & 15];
}

/// Reads one code point of generalised UTF-8 (surrogates allowed); its length, or 0 when malformed.
std::size_t decode(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const std::uint32_t lead = byte(0);
  if (lead >= 0xc2 && lead <= 0xdf && continues(1)) {
    code = (lead & 0x1fU) << 6 | (byte(1) & 0x3fU);
    return 2;
  }
  if (lead >= 0xe0 && lead <= 0xef && continues(1) && continues(2)) {
    code = (lead & 0x0fU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
    return code >= 0x800 ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4 && continues(1) && continues(2) && continues(3)) {
    code =
        (lead & 0x07U) << 18 | (byte(1) & 0x3fU) << 12 | (byte(2) & 0x3fU) << 6 | (byte(3) & 0x3fU);
    return code >= 0x10000 && code <= 0x10ffff ? 4 : 0;
  }
  return 0;
}

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

std::size_t append_json_string(std::string& json, std::string_view text) {
  json += '"';
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t end = i;
    while (end < text.size() && is_plain(text[end])) ++end;
    json.append(text, i, end - i);
    if (end == text.size()) break;
    i = end;
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) {
      std::uint32_t code = 0;
      const std::size_t length = decode(text.substr(i, 4), code);
      if (length == 0) return i;
      if (code >= 0x10000) {
        append_escape(json, 0xd7c0 + (code >> 10));
        append_escape(json, 0xdc00 + (code & 0x3ff));
      } else {
        append_escape(json, code);
      }
      i += length;
      continue;
    }
    switch (c) {
      case '"': json += "\\\""; break;
      case '\\': json += "\\\\"; break;
      case '\n': json += "\\n"; break;
      case '\r': json += "\\r"; break;
      case '\t': json += "\\t"; break;
      case '\f': json += "\\f"; break;
      case '\b': json += "\\b"; break;
      default: append_escape(json, static_cast<unsigned char>(c)); break;
    }
    ++i;
  }
  json += '"';
  return std::string_view::npos;
}

}  // namespace safestructures::detail
