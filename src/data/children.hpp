/// \file
/// Access to the children of a value by number, for walks that use a list instead of recursion and
/// visit children before their parent.
#pragma once

#include <cstddef>
#include <vector>

#include <safestructures/data/value.hpp>
#include "data/box.hpp"

namespace safestructures::inline v0::detail {

/// Returns the number of items, of keys and values together, or 1 for a payload; 0 for values that
/// are no containers.
[[nodiscard]] inline std::size_t count_of_children(const Value& value) {
  if (value.is_sequence()) return Box::items(value).size();
  if (value.is_mapping()) return 2 * Box::entries(value).size();
  return value.kind() == Kind::custom ? 1 : 0;
}

[[nodiscard]] inline const Value& part_of(const std::vector<Entry>& entries, std::size_t index) {
  const Entry& entry = entries[index / 2];
  return index % 2 == 0 ? entry.key : entry.value;
}

/// Returns a child. `index` is less than `count_of_children`.
[[nodiscard]] inline const Value& child_of(const Value& value, std::size_t index) {
  if (value.is_sequence()) return Box::items(value)[index];
  return value.kind() == Kind::custom ? value.payload() : part_of(Box::entries(value), index);
}

}  // namespace safestructures::inline v0::detail
