#include "compare/pairing/wanted_part.hpp"

#include <vector>

#include "compare/pairing/tree_nodes.hpp"

namespace safestructures::inline v0::comparing {

WantedPart wanted_part(const Filter& filter, const std::string& name, const std::string& other,
                       const Value& value) {
  if (filter.empty()) return WantedPart::all;
  const std::vector<TreeNode> nodes = nodes_of(value);
  const bool has_children = nodes.front().has_children();
  const bool is_whole = filter.is_wanted(name, other, has_children);
  if (!has_children) return is_whole ? WantedPart::all : WantedPart::none;
  bool is_any = false;
  bool are_all_ignored = true;
  for (const TreeNode& node : nodes) {
    if (node.has_children()) continue;
    const std::string label = label_of(name, node.path);
    const std::string other_label = other.empty() ? other : label_of(other, node.path);
    is_any = filter.is_wanted(label, other_label) || is_any;
    are_all_ignored = are_all_ignored && filter.is_ignored(label, other_label);
  }
  if (is_whole && !are_all_ignored) return WantedPart::all;
  return is_any ? WantedPart::some : WantedPart::none;
}

}  // namespace safestructures::inline v0::comparing
