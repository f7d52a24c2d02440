/// \file
/// The values directly below a value, by number: for walks that hold a list instead of recursing
/// and need what is below before the value itself.
#pragma once

#include <cstddef>

#include <safestructures/data/value.hpp>
#include "data/box.hpp"

namespace safestructures::inline v0::detail {

/// Items, keys and values, or the payload; 0 for what is no container.
[[nodiscard]] inline std::size_t count_of_children(const Value& value) {
  if (value.is_sequence()) return Box::items(value).size();
  if (value.is_mapping()) return 2 * Box::entries(value).size();
  return value.kind() == Kind::custom ? 1 : 0;
}

[[nodiscard]] inline const Value& part_of(const std::vector<Entry>& entries, std::size_t index) {
  const Entry& entry = entries[index / 2];
  return index % 2 == 0 ? entry.key : entry.value;
}

/// `index` is below `count_of_children`.
[[nodiscard]] inline const Value& child_of(const Value& value, std::size_t index) {
  if (value.is_sequence()) return Box::items(value)[index];
  return value.kind() == Kind::custom ? value.payload() : part_of(Box::entries(value), index);
}

}  // namespace safestructures::inline v0::detail
