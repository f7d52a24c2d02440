/// \file
/// Checks whether bytes are UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Returns the offset of the first byte that is not UTF-8 (RFC 3629: no surrogates, no overlong
/// encodings); null if all is valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept;

/// Does the same, but accepts a lone surrogate in three bytes (WTF-8), as Python writes it with
/// `surrogatepass`; a pair in six bytes is not valid.
std::optional<std::size_t> find_invalid_wtf8(std::string_view text) noexcept;

}  // namespace safestructures::inline v0::detail
