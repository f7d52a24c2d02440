/// \file
/// A fast UTF-8 check for long texts.
#pragma once

#include <string_view>

namespace safestructures::inline v0::detail {

/// Returns whether a text is UTF-8 (RFC 3629), using vector instructions. `find_invalid_utf8` tells
/// where a text is invalid.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace safestructures::inline v0::detail
