/// \file
/// Compares two nodes.
#pragma once

#include <safestructures/compare/rows.hpp>
#include <safestructures/data/value.hpp>
#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"
#include "compare/metrics/tensor_pair.hpp"
#include "compare/pairing/node_pairs.hpp"

namespace safestructures::inline v0::comparing {

/// Compares paired nodes in everything but the numbers of their tensors, which it holds in the
/// draft.
class NodeComparer {
 public:
  NodeComparer(const Rules& rules, Draft& draft) : rules_(rules), draft_(draft) {}

  /// Fills the row of a pair, which has its path and is the draft's last.
  /// \returns false if there is nothing to report
  [[nodiscard]] bool compare(const NodePair& pair, ComparisonRow& row);

 private:
  /// What must be the same before numbers can be compared.
  struct Type {
    const Shape& shape;
    SideDType dtype;
  };

  /// Compares the containers, not what they hold. \returns as `compare`
  [[nodiscard]] static bool compare_sizes(const Value& a, const Value& b, ComparisonRow& row);
  /// Compares nodes of the same kind without a tensor. \returns as `compare`
  [[nodiscard]] bool compare_values(const Value& a, const Value& b, ComparisonRow& row);
  void compare_tensors(const Value& a, const Value& b, ComparisonRow& row);
  /// Compares a node that is a summary with one that is a summary or a tensor.
  void compare_summaries(const NodePair& pair, ComparisonRow& row);
  /// \returns false, with the verdict, if the numbers cannot be compared
  [[nodiscard]] bool compare_types(const Type& a, const Type& b, ComparisonRow& row) const;
  void hold_numbers(const TensorPair& tensors, ComparisonRow& row);

  const Rules& rules_;
  Draft& draft_;
};

}  // namespace safestructures::inline v0::comparing
