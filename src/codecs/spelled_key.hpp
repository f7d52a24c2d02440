/// \file
/// Keys of maps that are texts in the file and numbers in C++.
#pragma once

#include <optional>
#include <string>

#include <safestructures/codecs/keyed.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Returns the key that a text spells: an integer as `std::to_string` formats it, any spelling of a
/// float that Python's `float()` takes, `true` or `false`; null for other texts.
[[nodiscard]] std::optional<Value> spelled_key(const std::string& text, Keys keys);

}  // namespace safestructures::inline v0::detail
