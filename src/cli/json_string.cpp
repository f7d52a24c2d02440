#include "cli/json_string.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "data/text/printable.hpp"

namespace safestructures::cli {

std::string in_ascii(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    const detail::CodePoint code = detail::first_code_point(json);
    if (code.value < 0x7f) {
      text += static_cast<char>(code.value);
    } else if (code.value < 0x10000) {
      text += fmt::format("\\u{:04x}", code.value);
    } else {
      const std::uint32_t rest = code.value - 0x10000;
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    }
    json.remove_prefix(code.size);
  }
  return text;
}

std::string json_string(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else escaped += c;
  }
  return in_ascii(escaped + '"');
}

}  // namespace safestructures::cli
