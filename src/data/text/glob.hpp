/// \file
/// Globs: patterns for names and paths in rules, filters and lists.
#pragma once

#include <string_view>

namespace safestructures::inline v0::detail {

/// Whether a whole text matches a glob, as specified in docs/recording.md under "Globs". Both are
/// UTF-8; an invalid byte counts as one character. Takes at most time proportional to the product
/// of their lengths, and unlike fnmatch does not depend on a locale.
[[nodiscard]] bool matches_glob(std::string_view glob, std::string_view text) noexcept;

}  // namespace safestructures::inline v0::detail
