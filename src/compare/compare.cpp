#include <safestructures/compare/compare.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"
#include "compare/nodes/node_rows.hpp"
#include "compare/numbers.hpp"
#include "compare/pairing/node_pairs.hpp"
#include "compare/pairing/opening.hpp"
#include "compare/pairing/suggest.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "compare/suspicions/suspicion_search.hpp"
#include "platform/crew.hpp"
#include "platform/file.hpp"

namespace safestructures::inline v0 {

using comparing::Draft;
using comparing::Lone;
using comparing::NameOf;
using comparing::NodePair;
using comparing::Rules;
using comparing::TreeNode;

namespace {

std::vector<RenameSuggestion> suggestions(const std::vector<NodePair>& pairs,
                                          const comparing::Filter& filter, const NameOf& name_of) {
  std::vector<Lone> a;
  std::vector<Lone> b;
  for (const NodePair& pair : pairs) {
    if (!pair.is_lone()) continue;
    const TreeNode& node = pair.first();
    if ((node.value->has_tensor() || node.is_summary) && filter.is_wanted(node.path))
      (pair.a != nullptr ? a : b).push_back({node.path, {{{}, node.value}}});
  }
  return comparing::suggest(a, b, name_of);
}

Comparison compare_nodes(const std::vector<TreeNode>& a, const std::vector<TreeNode>& b,
                         const CompareOptions& options, const NameOf& name_of = nullptr) {
  const platform::CrewScope crew;
  const bool of_recordings = false;
  Rules rules(options, of_recordings);
  Draft draft(rules, name_of);
  const std::vector<NodePair> pairs = comparing::pair_nodes(a, b, rules.renames);
  comparing::NodeRows(rules, draft).add(pairs);
  comparing::compare_numbers(rules, draft);
  comparing::look_for_suspicions(rules, draft);
  if (options.suggest) draft.result.suggestions = suggestions(pairs, rules.filter, name_of);
  draft.add_notes(rules);
  return std::move(draft.result);
}

/// Returns the tensors that a structure does not refer to, as values.
std::vector<std::pair<std::string, Value>> extra_tensors(const Document& document) {
  std::vector<std::pair<std::string, Value>> extra;
  for (const auto& [name, tensor] : document.content().extra_tensors)
    extra.emplace_back(name, Value(tensor));
  return extra;
}

std::vector<TreeNode> nodes_of(const Document& document,
                               const std::vector<std::pair<std::string, Value>>& extra) {
  std::vector<TreeNode> nodes = comparing::nodes_of(document.root(), document.name());
  for (const auto& [name, value] : extra) nodes.push_back({name, name, &value});
  return nodes;
}

template <class Opened, class Open>
Comparison compare_opened(const std::filesystem::path& a, const std::filesystem::path& b,
                          const CompareOptions& options, const Open& open) {
  platform::CrewScope crew;
  const std::array<std::filesystem::path, 2> paths{a, b};
  std::array<std::optional<Opened>, 2> opened;
  comparing::open_at_once(paths, [&](std::size_t i) { opened[i].emplace(open(paths[i])); });
  Comparison found = compare(*opened[0], *opened[1], options);
  // Its threads end while the files are closed.
  crew.dismiss();
  return found;
}

}  // namespace

Comparison compare(const Value& a, const Value& b, const CompareOptions& options) {
  return compare_nodes(comparing::nodes_of(a), comparing::nodes_of(b), options);
}

Comparison compare(const Value& a, const Document& b, const CompareOptions& options) {
  const auto extra_b = extra_tensors(b);
  return compare_nodes(comparing::nodes_of(a), nodes_of(b, extra_b), options,
                       [&](bool is_of_b) { return is_of_b ? b.name() : std::string(); });
}

Comparison compare(const Document& a, const Value& b, const CompareOptions& options) {
  const auto extra_a = extra_tensors(a);
  return compare_nodes(nodes_of(a, extra_a), comparing::nodes_of(b), options,
                       [&](bool is_of_b) { return is_of_b ? std::string() : a.name(); });
}

Comparison compare(const Document& a, const Document& b, const CompareOptions& options) {
  const auto extra_a = extra_tensors(a);
  const auto extra_b = extra_tensors(b);
  return compare_nodes(nodes_of(a, extra_a), nodes_of(b, extra_b), options,
                       [&](bool is_of_b) { return (is_of_b ? b : a).name(); });
}

Comparison compare_files(const std::filesystem::path& a, const std::filesystem::path& b,
                         const CompareOptions& options) {
  std::error_code error;  // Ignored: opening reports it.
  const bool is_folder_a = std::filesystem::is_directory(a, error);
  const bool is_folder_b = std::filesystem::is_directory(b, error);
  if (is_folder_a != is_folder_b) {
    const std::filesystem::path& file = is_folder_a ? b : a;
    static_cast<void>(platform::InputFile(file));  // It may not exist.
    throw Error(
        ErrorCode::invalid_argument, "a file cannot be compared with a recording",
        {.expected = "two files, or the folders of two recordings",
         .found = (is_folder_a ? a : b).string() + ", which is a folder, and " + file.string()});
  }
  if (is_folder_a) {
    if (options.format != nullptr)
      throw Error(ErrorCode::invalid_argument, "recordings have a format of their own",
                  {.file = a.string(),
                   .expected = "no CompareOptions::format",
                   .found = std::string(options.format->name())});
    const RecordingOptions reading{.access = options.access, .limits = options.limits};
    return compare_opened<Recording>(a, b, options,
                                     [&](const auto& path) { return Recording(path, reading); });
  }
  const LoadOptions load{
      .format = options.format, .access = options.access, .limits = options.limits};
  return compare_opened<Document>(a, b, options,
                                  [&](const auto& path) { return Document::open(path, load); });
}

}  // namespace safestructures::inline v0
