/// \file
/// Structures that are not spelled out in a schema.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

/// What a file holds by name.
struct NamedValues {
  std::size_t count = 0;
  /// Names are distinct.
  std::function<std::string_view(std::size_t index)> name;
  /// May be asked for more than once.
  std::function<Value(std::size_t index)> value;
};

/// The structure that the names of a plain file suggest: each dot is a step down, and a level whose
/// steps are 0, 1, ... n-1 is a list. A name that goes on below another's (`a` and `a.b`) keeps its
/// dots from there on.
/// \throws Error `limit_exceeded` for names with more steps than `limits.depth`.
Value structure_of_names(const NamedValues& values, const Limits& limits);

/// Checks before names are written that they can be read. Asks for no values.
/// \throws Error `limit_exceeded`, as `structure_of_names`.
void check_structure_of_names(const NamedValues& names, const Limits& limits);

}  // namespace safestructures::inline v0
