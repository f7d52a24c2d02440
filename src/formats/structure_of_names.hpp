/// \file
/// Structures that no schema spells out.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

/// The named values of a file.
struct NamedValues {
  std::size_t count = 0;
  /// Names are distinct.
  std::function<std::string_view(std::size_t index)> name;
  /// May be called more than once for the same index.
  std::function<Value(std::size_t index)> value;
};

/// Returns the structure that the names of a plain file suggest: each dot is a step down, and a
/// level whose steps are 0, 1, ... n-1 is a list. A name that extends another one (`a.b` with `a`)
/// keeps its dots from there on.
/// \throws Error `limit_exceeded` for names with more steps than `limits.depth`.
Value structure_of_names(const NamedValues& values, const Limits& limits);

/// Checks that names can be read back, before they are written. Does not call `value`.
/// \throws Error `limit_exceeded`, as `structure_of_names`.
void check_structure_of_names(const NamedValues& names, const Limits& limits);

}  // namespace safestructures::inline v0
