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
#include "compare/pairing/opening.hpp"
#include "compare/pairing/suggest.hpp"
#include "compare/pairs.hpp"
#include "platform/crew.hpp"

namespace safestructures::inline v0 {

using comparing::Comparer;
using comparing::Lone;
using comparing::Pair;
using comparing::TreeNode;

namespace {

std::vector<RenameSuggestion> suggestions(const std::vector<Pair>& pairs,
                                          const Comparer& comparer) {
  std::vector<Lone> a;
  std::vector<Lone> b;
  for (const Pair& pair : pairs) {
    if ((pair.a == nullptr) == (pair.b == nullptr)) continue;
    const TreeNode& node = pair.a != nullptr ? *pair.a : *pair.b;
    if ((node.value->has_tensor() || node.is_summary) && comparer.filter().is_wanted(node.path))
      (pair.a != nullptr ? a : b).push_back({node.path, {{{}, node.value}}});
  }
  return comparing::suggest(a, b);
}

Comparison compare_nodes(const std::vector<TreeNode>& a, const std::vector<TreeNode>& b,
                         const CompareOptions& options, const Comparer::NameOf& name_of = nullptr) {
  const platform::CrewScope crew;
  Comparer comparer(options, false);
  comparer.set_name_of(name_of);
  const std::vector<Pair> pairs = comparer.pair(a, b);
  comparer.add(pairs);
  comparer.measure();
  comparer.suspect();
  if (options.suggest) comparer.result().suggestions = suggestions(pairs, comparer);
  comparer.add_notes();
  return std::move(comparer.result());
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
  if (is_folder_a != is_folder_b)
    throw Error(ErrorCode::invalid_argument, "a file cannot be compared with a recording",
                {.expected = "two files, or the folders of two recordings",
                 .found = (is_folder_a ? a : b).string() + ", which is a folder, and " +
                          (is_folder_a ? b : a).string()});
  if (is_folder_a) {
    if (options.format != nullptr)
      throw Error(ErrorCode::invalid_argument, "recordings are of one format",
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
