/// \file
/// Whether long texts are UTF-8.
#pragma once

#include <string_view>

namespace safestructures::inline v0::detail {

/// Whether it is UTF-8 (RFC 3629), in vector instructions. `find_invalid_utf8` says where it is
/// not.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace safestructures::inline v0::detail
