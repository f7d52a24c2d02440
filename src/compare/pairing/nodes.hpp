/// \file
/// A structure as a list of its nodes with their paths.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::comparing {

/// A node of a structure. The value lives as long as the structure.
struct TreeNode {
  /// `/layers/0/weight`, and `/1~int` for what is at 1 in a dict that has "1", too. Not unique: a
  /// key has the path of its value.
  std::string path;
  std::string name;  ///< The same with dots, `layers.0.weight`.
  const Value* value = nullptr;
  bool is_summary = false;  ///< Whether it stands for a tensor: all statistics are there.

  [[nodiscard]] bool is_tensor() const {
    return value->kind() == Kind::tensor || value->kind() == Kind::bytes;
  }
  /// Whether it has nodes below it. A set is a value of its own: its items have no order.
  [[nodiscard]] bool has_children() const;
};

/// Every node in order, each before what it holds. Attributes are none. Needs no stack.
/// \param file that it is of, for the error \throws Error `limit_exceeded` where the paths are too
/// long
std::vector<TreeNode> nodes_of(const Value& root, std::string_view file = {});

/// The dtype that a tensor's numbers had before they were stored, where the file notes it.
std::optional<DType> recorded_dtype(const Value& value);

/// Whether a value is compared by its numbers: a tensor, a float or a complex.
bool is_number(const Value& value) noexcept;
/// Those numbers; of a float a tensor of a single element, of a complex of its two parts.
Tensor numbers_of(const Value& value);

/// The path of a row about a node of a record; of a file `record` is empty.
std::string label_of(const std::string& record, const std::string& path);

}  // namespace safestructures::inline v0::comparing
