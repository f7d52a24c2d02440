#include "compare/nodes/node_rows.hpp"

#include <utility>

#include <safestructures/data/error.hpp>
#include "compare/pairing/filter.hpp"
#include "compare/pairing/located.hpp"
#include "compare/pairing/tree_nodes.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// The names before the paths of nodes; empty for structures.
struct RecordNames {
  explicit RecordNames(const std::optional<RecordOfNodes>& record) {
    if (!record) return;
    a = record->place.name;
    b = record->other_name.empty() ? a : record->other_name;
  }

  void set_paths(const NodePair& pair, ComparisonRow& row) const {
    row.path = pair.a != nullptr ? label_of(a, pair.a->path) : label_of(b, pair.b->path);
    if (pair.is_lone()) return;
    std::string other = label_of(b, pair.b->path);
    if (other != row.path) row.other_path = std::move(other);
  }

  std::string a;
  std::string b;
};

/// The nodes that the filter ignores.
class IgnoredNodes {
 public:
  IgnoredNodes(const std::vector<NodePair>& pairs, const RecordNames& names, const Filter& filter) {
    if (!filter.can_ignore()) return;
    for (const NodePair& pair : pairs) {
      ComparisonRow row;
      names.set_paths(pair, row);
      if (!filter.is_ignored(row.path, row.other_path, pair.has_children())) continue;
      if (pair.a != nullptr) in_a_.add(pair.a->path);
      if (pair.b != nullptr) in_b_.add(pair.b->path);
    }
  }

  /// Whether containers of different sizes have as many members that are not ignored.
  [[nodiscard]] bool explain_sizes(const NodePair& pair) const {
    return size_of(*pair.a->value) - in_a_.count_in(pair.a->path) ==
           size_of(*pair.b->value) - in_b_.count_in(pair.b->path);
  }

 private:
  IgnoredChildren in_a_;
  IgnoredChildren in_b_;
};

/// Returns null if there is none.
const Tensor* tensor_of(const TreeNode* node) {
  return node != nullptr && node->value->has_tensor() ? &node->value->tensor() : nullptr;
}

}  // namespace

void NodeRows::add(const std::vector<NodePair>& pairs, const std::optional<RecordOfNodes>& record) {
  const RecordNames names(record);
  const IgnoredNodes ignored(pairs, names, rules_.filter);
  for (const NodePair& pair : pairs) {
    // In place, because a row has some 800 bytes.
    ComparisonRow& row = draft_.rows.add();
    names.set_paths(pair, row);
    if (!rules_.filter.is_wanted(row.path, row.other_path, pair.has_children())) {
      // Containers are not counted in addition to their contents.
      if (!pair.first().has_children()) ++draft_.result.coverage.filtered;
      draft_.rows.take_back();
      continue;
    }
    if (!compare(pair, row) || (row.verdict == Verdict::size && ignored.explain_sizes(pair))) {
      draft_.rows.take_back();
      continue;
    }
    if (record) row.record = record->place;
    kept_paths_.add(row.path);
    draft_.count(row.verdict);
  }
}

bool NodeRows::compare(const NodePair& pair, ComparisonRow& row) {
  try {
    return comparer_.compare(pair, row);
  } catch (const Error& error) {
    throw located(error, row.path, {tensor_of(pair.a), tensor_of(pair.b)}, draft_.name_of);
  }
}

}  // namespace safestructures::inline v0::comparing
