/// \file
/// How the names of files end.
#pragma once

#include <algorithm>
#include <string_view>

namespace safestructures::inline v0::detail {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether a name has an ending such as `.json`, ASCII letters in any case.
// From the end: each opening of a file asks for all endings, and most differ in the last letter.
constexpr bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), name.rbegin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace safestructures::inline v0::detail
