/// \file
/// Checks whether bytes are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Returns whether all characters are ASCII, as those of most names are: this takes 1 ns for one,
/// what is below 5.
inline bool is_ascii(std::string_view text) noexcept {
  const auto has_others = [&]<class Word>(std::size_t at, Word tops) {
    Word word;
    std::memcpy(&word, text.data() + at, sizeof(word));
    return (word & tops) != 0;
  };
  constexpr std::uint64_t tops = 0x8080808080808080U;
  const std::size_t size = text.size();
  // The last word of a length that is no multiple overlaps the one before it.
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 <= size; at += 8)
      if (has_others(at, tops)) return false;
    return !has_others(size - 8, tops);
  }
  if (size >= 4) {
    constexpr auto half = static_cast<std::uint32_t>(tops);
    return !has_others(0, half) && !has_others(size - 4, half);
  }
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

/// Returns the offset of the first byte that is not UTF-8 (RFC 3629: no surrogates, no overlong
/// encodings); null if all is valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept;

/// Does the same, but accepts a lone surrogate in three bytes (WTF-8), as Python writes it with
/// `surrogatepass`; a pair in six bytes is not valid.
std::optional<std::size_t> find_invalid_wtf8(std::string_view text) noexcept;

}  // namespace safestructures::inline v0::detail
