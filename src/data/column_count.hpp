/// \file
/// Detects structs of columns: tensors that represent a list of structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// How deep structs of columns may be nested; low enough for recursion on any stack.
inline constexpr unsigned most_column_levels = 32;

/// The fields of a struct that represents many texts: their bytes, and the end of each.
inline constexpr std::string_view texts_field = "text";
inline constexpr std::string_view ends_field = "ends";

[[nodiscard]] inline bool is_text_column(const Value& value) {
  if (value.kind() != Kind::structure || value.size() != 2) return false;
  const auto is_flat = [](const Value* part) {
    return part != nullptr && part->kind() == Kind::tensor && part->tensor().rank() == 1;
  };
  const Value* const text = value.find(texts_field);
  return is_flat(text) && is_flat(value.find(ends_field)) && text->tensor().dtype() == DType::U8;
}

/// Returns the first dimension shared by all tensors in a struct and its nested structs, where a
/// struct of texts counts as a tensor; null if it differs or there is anything else. Recursive, up
/// to `levels`.
[[nodiscard]] inline std::optional<std::uint64_t> column_count(
    const Value& value, unsigned levels = most_column_levels) {
  if (value.kind() == Kind::tensor)
    return value.tensor().rank() > 0 ? std::optional(value.tensor().shape()[0]) : std::nullopt;
  if (is_text_column(value)) return value.find(ends_field)->tensor().shape()[0];
  if (value.kind() != Kind::structure || levels == 0) return std::nullopt;
  std::optional<std::uint64_t> count;
  for (const Entry& field : value.entries()) {
    const auto found = column_count(field.value, levels - 1);
    if (!found || count.value_or(*found) != *found) return std::nullopt;
    count = found;
  }
  return count;
}

}  // namespace safestructures::inline v0::detail
