#include "formats/binary/text.hpp"

#include <cstdint>

#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"

namespace safestructures::inline v0::binary {

std::optional<std::size_t> find_malformed(std::string_view text) noexcept {
  std::size_t at = 0;
  while (const auto bad = detail::find_invalid_utf8(text.substr(at))) {
    at += *bad;
    const auto is_half = [&](std::size_t from, std::uint32_t low, std::uint32_t high) {
      if (from >= text.size()) return false;
      const detail::CodePoint code = detail::first_code_point(text.substr(from));
      return code.is_valid && code.value >= low && code.value < high;
    };
    if (!is_half(at, 0xD800, 0xE000)) return at;
    if (is_half(at, 0xD800, 0xDC00) && is_half(at + 3, 0xDC00, 0xE000)) return at + 3;
    at += 3;
  }
  return std::nullopt;
}

}  // namespace safestructures::inline v0::binary
