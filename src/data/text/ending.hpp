/// \file
/// The endings of file names.
#pragma once

#include <algorithm>
#include <string_view>

namespace safestructures::inline v0::detail {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether a name ends with an ending such as `.json`, ignoring the case of ASCII letters.
// Backwards: opening a file tries all endings, and most differ in the last letter.
constexpr bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), name.rbegin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace safestructures::inline v0::detail
