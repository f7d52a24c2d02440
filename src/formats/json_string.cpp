#include "formats/json_string.hpp"

#include <cstddef>

#include <safestructures/data/error.hpp>
#include "data/text/printable.hpp"

namespace safestructures::inline v0::detail {
namespace {

void append_escape(std::string& json, std::uint32_t unit) {
  json += "\\u";
  append_hex(json, unit, 4);
}

void append_escaped(std::string& json, std::uint32_t code) {
  if (code < 0x10000) return append_escape(json, code);
  append_escape(json, 0xd7c0 + (code >> 10U));
  append_escape(json, 0xdc00 + (code & 0x3ffU));
}

bool is_plain_ascii(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

void append_json_string(std::string& json, std::string_view text, Escapes escapes,
                        const Trace* trace) {
  json += '"';
  std::uint32_t last = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t end = i;
    while (end < text.size() && is_plain_ascii(text[end])) ++end;
    if (end > i) last = 0;
    json.append(text, i, end - i);
    if (end == text.size()) break;
    i = end;
    const CodePoint code = first_code_point(text.substr(i, 4));
    const bool is_low = code.value >= 0xdc00 && code.value < 0xe000;
    if (!code.is_valid || (is_low && last >= 0xd800 && last < 0xdc00))
      throw Error(ErrorCode::invalid_utf8, "a string is not UTF-8",
                  {.path = to_string(trace),
                   .found = "a malformed sequence at byte " + std::to_string(i) + " of the string",
                   .advice = "Store binary data as bytes, for example std::vector<std::byte>"});
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
        if (escapes == Escapes::all || is_unsafe(code.value)) append_escaped(json, code.value);
        else json.append(text, i, code.size);
    }
    i += code.size;
  }
  json += '"';
}

}  // namespace safestructures::inline v0::detail
