/// \file
/// The names of the numbers in a column of enums, as a file has them.
#pragma once

#include <cstdint>
#include <string>

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Returns `attributes::names` of a column, a dict; null if it has none.
[[nodiscard]] const Value* names_of_column(const Value& column);
/// Returns the name of a number in `attributes::names` of a column; null if it has none.
[[nodiscard]] const std::string* name_in_column(const Value& column, std::int64_t number);

}  // namespace safestructures::inline v0::detail
