/// \file
/// Base64 (RFC 4648, section 4): the alphabet with + and /, padded, without line breaks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace safestructures::inline v0::json {

/// Appends the digits of `bytes`. Of several pieces, all but the last are multiples of 3 long.
void append_base64(std::string& text, std::span<const std::byte> bytes);

/// How many bytes a text of that many characters stands for at most.
[[nodiscard]] constexpr std::size_t base64_bound(std::size_t characters) noexcept {
  return characters / 4 * 3;
}

/// Decodes what `append_base64` writes and nothing else: bits that no byte takes must be zero.
/// \param target room for `base64_bound` bytes
/// \returns how many bytes there are, or nothing; then `bad` is the position of the first character
/// that does not belong there, the text's length where it ends too early
[[nodiscard]] std::optional<std::size_t> decode_base64(std::string_view text, std::byte* target,
                                                       std::size_t& bad) noexcept;

}  // namespace safestructures::inline v0::json
