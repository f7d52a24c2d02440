/// \file
/// Names in error messages: the one that was meant, and a list of those that are there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::detail {

/// The candidate that a misspelt name was most likely meant to be, by edit distance; nothing when
/// none is near. Takes time in proportion to the candidates, whatever their length.
SAFESTRUCTURES_API std::optional<std::string_view> nearest_name(
    std::string_view name, std::span<const std::string_view> candidates);

/// `'a', 'b', 'c'`; of many the first ones and how many more there are.
std::string list_names(std::span<const std::string_view> names);

}  // namespace safestructures::inline v0::detail
