#include "data/text/column_names.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/data/attributes.hpp>

namespace safestructures::inline v0::detail {

const Value* names_of_column(const Value& column) {
  const Value* const names = column.attribute(attributes::names);
  return names != nullptr && names->kind() == Kind::dict ? names : nullptr;
}

const std::string* name_in_column(const Value& column, std::int64_t number) {
  const Value* const names = names_of_column(column);
  if (names == nullptr) return nullptr;
  // Whatever else a file may hold there sorts before all numbers, and is not found.
  const auto number_of = [](const Entry& name) {
    const auto known = name.value.kind() == Kind::integer ? name.value.as_int64() : std::nullopt;
    return known.value_or(std::numeric_limits<std::int64_t>::min());
  };
  const std::vector<Entry>& entries = names->entries();
  const auto found = std::ranges::lower_bound(entries, number, {}, number_of);
  const bool is_name = found != entries.end() && found->key.kind() == Kind::string &&
                       found->value.kind() == Kind::integer && found->value.as_int64() == number;
  return is_name ? &found->key.as_string() : nullptr;
}

}  // namespace safestructures::inline v0::detail
