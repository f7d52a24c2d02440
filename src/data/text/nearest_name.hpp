/// \file
/// Names in error messages: the one that was probably meant, and lists of those that exist.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::detail {

/// Returns the candidate that a misspelt name was most likely meant to be, by edit distance; null
/// if none is near. Takes time proportional to the number of candidates, whatever their length.
SAFESTRUCTURES_API std::optional<std::string_view> nearest_name(
    std::string_view name, std::span<const std::string_view> candidates);

/// Returns `'a', 'b', 'c'`; for many names, the first ones and how many more there are.
std::string list_names(std::span<const std::string_view> names);

}  // namespace safestructures::inline v0::detail
