/// \file
/// Globs: the names and paths that rules, filters and lists are asked for.
#pragma once

#include <string_view>

namespace safestructures::inline v0::detail {

/// Whether a whole text matches a glob, as docs/recording.md says under "Globs". Both are UTF-8; a
/// byte that is none is a character of its own. Takes at most the product of their lengths, and
/// depends on no locale, unlike fnmatch.
[[nodiscard]] bool matches_glob(std::string_view glob, std::string_view text) noexcept;

}  // namespace safestructures::inline v0::detail
