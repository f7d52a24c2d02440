/// \file
/// Adds the rows of paired nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <safestructures/compare/rows.hpp>
#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"
#include "compare/nodes/node_comparer.hpp"
#include "compare/pairing/node_pairs.hpp"
#include "data/path_text.hpp"

namespace safestructures::inline v0::comparing {

/// The record, or the two, that nodes belong to.
struct RecordOfNodes {
  RecordPlace place;
  std::string other_name;  ///< The name in the second recording; empty if it is the same.
};

/// Adds a row for each pair of nodes that the filter selects and that has something to report.
class NodeRows {
 public:
  NodeRows(const Rules& rules, Draft& draft)
      : rules_(rules), draft_(draft), comparer_(rules, draft) {}

  /// \param pairs of nodes whose values stay valid as long as the draft
  /// \param record null if structures are compared
  /// \throws Error `limit_exceeded` if the paths of all rows are too long
  void add(const std::vector<NodePair>& pairs, const std::optional<RecordOfNodes>& record = {});

 private:
  /// Compares two nodes; errors name the row and the file.
  bool compare(const NodePair& pair, ComparisonRow& row);

  const Rules& rules_;
  Draft& draft_;
  NodeComparer comparer_;
  detail::PathText kept_paths_;
};

}  // namespace safestructures::inline v0::comparing
