/// \file
/// Lists the nodes of a structure with their paths.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::comparing {

/// A node of a structure. The value is valid as long as the structure.
struct TreeNode {
  /// `/layers/0/weight`; also `/1~int` for the value at the integer key 1 in a dict that has "1",
  /// too. Not unique: a key has the path of its value.
  std::string path;
  std::string name;  ///< The same with dots, `layers.0.weight`.
  const Value* value = nullptr;
  bool is_summary = false;  ///< Whether it stands for a tensor: a full set of statistics.

  /// Whether it has nodes below it. A set counts as one value, since its items have no order.
  [[nodiscard]] bool has_children() const;
};

/// Returns every node in order, parents first. Attributes are not nodes. Not recursive.
/// \param file named in the error \throws Error `limit_exceeded` if the paths are too long
std::vector<TreeNode> nodes_of(const Value& root, std::string_view file = {});

/// Returns the dtype of a tensor's numbers before they were stored, if the file records it.
std::optional<DType> recorded_dtype(const Value& value);

/// Whether a value is compared by its numbers: a tensor, a float or a complex.
bool is_number(const Value& value) noexcept;
/// Returns those numbers: a float as a tensor of one element, a complex as its two parts.
Tensor numbers_of(const Value& value);

/// Returns how many members a container has; 0 for other values.
std::size_t size_of(const Value& value);

/// Returns the path shown in a row about a node of a record; `record` is empty for files.
std::string label_of(const std::string& record, const std::string& path);

}  // namespace safestructures::inline v0::comparing
