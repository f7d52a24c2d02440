/// \file
/// Base64 (RFC 4648, section 4): the alphabet with + and /, padded, without line breaks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace safestructures::inline v0::json {

/// Appends the digits of `bytes`. When encoding in pieces, all but the last must have a length that
/// is a multiple of 3.
void append_base64(std::string& text, std::span<const std::byte> bytes);

/// Returns the most bytes that a text of that many characters can stand for.
[[nodiscard]] constexpr std::size_t base64_bound(std::size_t characters) noexcept {
  return characters / 4 * 3;
}

/// Decodes only what `append_base64` writes: unused bits must be zero.
/// \param target room for `base64_bound` bytes
/// \returns the number of bytes, or nothing on failure; then `bad` is the position of the first
/// invalid character, or the text's length if it ends too early
[[nodiscard]] std::optional<std::size_t> decode_base64(std::string_view text, std::byte* target,
                                                       std::size_t& bad) noexcept;

}  // namespace safestructures::inline v0::json
