/// \file
/// A structure as a list of its nodes with their paths.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::comparing {

/// A node of a structure. The value lives as long as the structure.
struct TreeNode {
  std::string path;  ///< `/layers/0/weight`; not unique: a key has the path of its value.
  std::string name;  ///< The same with dots, `layers.0.weight`.
  const Value* value = nullptr;

  [[nodiscard]] bool is_tensor() const {
    return value->kind() == Kind::tensor || value->kind() == Kind::bytes;
  }
  /// Whether it has nodes below it. A set is a value of its own: its items have no order.
  [[nodiscard]] bool has_children() const;
};

/// Every node in order, each before what it holds. Attributes are none. Needs no stack.
std::vector<TreeNode> nodes_of(const Value& root);

}  // namespace safestructures::inline v0::comparing
