/// \file
/// Strings in the syntax of JSON.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <safestructures/data/path.hpp>

namespace safestructures::inline v0::json {

/// Marks the quotes and backslashes among eight bytes by setting their highest bits. The lowest
/// mark is exact; those above it may be wrong.
inline std::uint64_t mark_special(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high = 0x8080808080808080;
  const std::uint64_t quote = bytes ^ (ones * '"');
  const std::uint64_t backslash = bytes ^ (ones * '\\');
  return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) & high;
}

/// Returns the first quote or backslash from `from` on, or `end`.
inline const char* find_special(const char* from, const char* end) noexcept {
  for (; end - from >= 8; from += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, from, 8);
    if (const std::uint64_t marks = mark_special(bytes); marks != 0)
      return from + std::countr_zero(marks) / 8;
  }
  while (from != end && *from != '"' && *from != '\\') ++from;
  return from;
}

/// Marks the control characters, which JSON escapes, among eight bytes by setting their highest
/// bits. The lowest mark is exact.
inline std::uint64_t mark_controls(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high = 0x8080808080808080;
  return (bytes - ones * 0x20) & ~bytes & high;
}

/// Returns the first quote, backslash or control character from `from` on, or `end`.
inline const char* find_unplain(const char* from, const char* end) noexcept {
  for (; end - from >= 8; from += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, from, 8);
    if (const std::uint64_t marks = mark_special(bytes) | mark_controls(bytes); marks != 0)
      return from + std::countr_zero(marks) / 8;
  }
  while (from != end && *from != '"' && *from != '\\' && static_cast<unsigned char>(*from) >= 0x20)
    ++from;
  return from;
}

enum class StringFault : std::uint8_t { none, bad_escape, lone_surrogate, no_end };

/// The characters that may follow a backslash, apart from `u`.
inline constexpr std::string_view escape_letters = "\"\\/bfnrt";

/// Returns the value of a hexadecimal digit; -1 if it is not one.
int hex_digit(char c) noexcept;

/// Whether half a surrogate pair is kept as three bytes of WTF-8, or is a fault.
enum class LoneSurrogates : bool { keep, fault };

/// Decodes one escape. \param from points after the backslash; moves past the escape
StringFault unescape_one(const char*& from, const char* end, char*& target,
                         LoneSurrogates lone) noexcept;

/// The result of `unescape`.
struct Unescaped {
  char* target_end;  ///< Past the last byte written.
  const char* stop;  ///< Past the closing quote, or at the fault.
  StringFault fault = StringFault::none;
  bool has_controls = false;  ///< Whether there is a byte below 0x20, which JSON escapes.
};

/// Decodes a JSON string from the byte after its opening quote through its closing quote. Valid
/// UTF-8 stays valid.
/// \param target must have room for as many bytes as the string is spelled with, and 8 more
Unescaped unescape(const char* from, const char* end, char* target) noexcept;

/// Whether JSON spells the text unchanged: ASCII without control characters, quotes and
/// backslashes.
bool is_plain(std::string_view text) noexcept;

/// The most bytes that `escape` writes for a text of `size` bytes.
constexpr std::size_t escaped_bound(std::size_t size) noexcept { return 6 * size + 8; }

/// Writes valid UTF-8 as the inside of a JSON string, as Rust's serde_json does.
/// \returns the position after the last byte written
char* escape(std::string_view text, char* target) noexcept;

/// Appends valid UTF-8 in quotes, as `escape` spells it.
void append_escaped(std::string& json, std::string_view text);

/// Returns the original size of a text of ASCII without control characters that `escape` spelled.
constexpr std::size_t unescaped_size(std::string_view spelled) noexcept {
  std::size_t size = 0;
  for (std::size_t i = 0; i < spelled.size(); ++i, ++size)
    if (spelled[i] == '\\') ++i;
  return size;
}

/// The characters that become escapes in addition to quotes, backslashes and control characters.
enum class Escapes : std::uint8_t {
  all,     ///< Everything that is not ASCII, as in Python's `json.dumps`.
  unsafe,  ///< What can control a terminal or change the reading order; the rest stays UTF-8.
};

/// Appends a text in quotes. A lone surrogate, which WTF-8 holds in three bytes, becomes its own
/// escape; a pair in six bytes is refused, since it would be read as another text.
/// \param trace where the text is, for the error
/// \throws Error `invalid_utf8`
void append_string(std::string& json, std::string_view text, Escapes escapes, const Trace* trace);

/// Returns any bytes in quotes: a byte that is not UTF-8 becomes the code point of its value.
std::string quote(std::string_view text, Escapes escapes = Escapes::all);

/// Escapes DEL and everything beyond ASCII; the rest of the JSON text stays as it is.
std::string in_ascii(std::string_view json);

}  // namespace safestructures::inline v0::json
