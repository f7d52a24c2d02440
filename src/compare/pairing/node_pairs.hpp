/// \file
/// Pairs the nodes of two structures.
#pragma once

#include <vector>

#include "compare/pairing/rename.hpp"
#include "compare/pairing/tree_nodes.hpp"

namespace safestructures::inline v0::comparing {

/// Two nodes that are compared, or one that only one side has.
struct NodePair {
  const TreeNode* a = nullptr;  ///< Null if only b has the node.
  const TreeNode* b = nullptr;  ///< Null if only a has it.

  [[nodiscard]] bool is_lone() const { return a == nullptr || b == nullptr; }
  /// Returns a's node, or b's if that is the only one.
  [[nodiscard]] const TreeNode& first() const { return a != nullptr ? *a : *b; }
  /// Whether it has children that are paired separately.
  [[nodiscard]] bool has_children() const {
    return (a == nullptr || a->has_children()) && (b == nullptr || b->has_children());
  }
};

/// Pairs nodes by the rename rules, then by path; among several nodes with one path the first with
/// the first. Nodes that only b has come last.
[[nodiscard]] std::vector<NodePair> pair_nodes(const std::vector<TreeNode>& a,
                                               const std::vector<TreeNode>& b, Renames& renames);

}  // namespace safestructures::inline v0::comparing
