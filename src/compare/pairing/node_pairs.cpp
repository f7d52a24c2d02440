#include "compare/pairing/node_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Nodes by a text that several may have.
class ByText {
 public:
  void add(const std::string& text, const TreeNode& node) { nodes_[text].nodes.push_back(&node); }
  /// Takes the next node with that text; null if there is none left.
  const TreeNode* take(std::string_view text) {
    const auto found = nodes_.find(text);
    if (found == nodes_.end()) return nullptr;
    Queue& queue = found->second;
    return queue.next < queue.nodes.size() ? queue.nodes[queue.next++] : nullptr;
  }

 private:
  struct Queue {
    std::vector<const TreeNode*> nodes;
    std::size_t next = 0;
  };
  std::unordered_map<std::string, Queue, detail::KeyedHash, std::equal_to<>> nodes_;
};

/// The nodes of b, each of which can be taken once.
class Partners {
 public:
  /// \param by_name whether nodes are taken by name, too
  Partners(const std::vector<TreeNode>& nodes, bool by_name) {
    for (const TreeNode& node : nodes) {
      paths_.add(node.path, node);
      if (by_name) names_.add(node.name, node);
    }
  }

  /// Takes the next node with that path or name; null if there is none left.
  /// @{
  const TreeNode* take_path(std::string_view path) { return take(paths_, path); }
  const TreeNode* take_name(std::string_view name) { return take(names_, name); }
  /// @}
  [[nodiscard]] bool is_taken(const TreeNode& node) const { return taken_.contains(&node); }

 private:
  const TreeNode* take(ByText& nodes, std::string_view text) {
    const TreeNode* found = nodes.take(text);
    while (found != nullptr && !taken_.insert(found).second) found = nodes.take(text);
    return found;
  }

  ByText paths_;
  ByText names_;
  std::unordered_set<const TreeNode*> taken_;
};

/// Pairs the nodes of a that a rule renames. \returns for each node of a whether one does
std::vector<bool> pair_renamed(const std::vector<TreeNode>& a, Renames& renames, Partners& partners,
                               std::vector<NodePair>& pairs) {
  std::vector<bool> is_renamed(a.size());
  for (std::size_t i = 0; i < a.size() && !renames.empty(); ++i) {
    // The root has the same path as a tensor without a name.
    if (i == 0 && a[i].has_children()) continue;
    const auto path = renames.path(a[i].path);
    const auto renamed = path ? path : renames.name(a[i].name);
    if (!renamed) continue;
    is_renamed[i] = true;
    const TreeNode* const found =
        path ? partners.take_path(renamed->text()) : partners.take_name(renamed->text());
    pairs[i].b = found;
    if (found == nullptr) continue;
    // Matching only containers does not count as used: their contents have paths of their own.
    if (!a[i].has_children() || !found->has_children()) renamed->use();
  }
  return is_renamed;
}

}  // namespace

std::vector<NodePair> pair_nodes(const std::vector<TreeNode>& a, const std::vector<TreeNode>& b,
                                 Renames& renames) {
  std::vector<NodePair> pairs(a.size());
  // The usual case: two runs of one program.
  if (renames.empty() && std::ranges::equal(a, b, {}, &TreeNode::path, &TreeNode::path)) {
    for (std::size_t i = 0; i < a.size(); ++i) pairs[i] = {&a[i], &b[i]};
    return pairs;
  }
  Partners partners(b, !renames.empty());
  // Renamed nodes first, so that no other node takes their partners.
  const std::vector<bool> is_renamed = pair_renamed(a, renames, partners, pairs);
  for (std::size_t i = 0; i < a.size(); ++i) {
    pairs[i].a = &a[i];
    if (!is_renamed[i]) pairs[i].b = partners.take_path(a[i].path);
  }
  for (const TreeNode& node : b)
    if (!partners.is_taken(node)) pairs.push_back({nullptr, &node});
  return pairs;
}

}  // namespace safestructures::inline v0::comparing
