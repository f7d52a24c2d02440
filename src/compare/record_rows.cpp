#include "compare/record_rows.hpp"

#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/recording/options.hpp>
#include "compare/pairing/node_pairs.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "compare/pairing/wanted_part.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// \param other its partner in the second recording; null if it has none
RecordPlace place_of(const Record& record, RecordMatch match, const Record* other) {
  RecordPlace place{record.name(), record.step(), record.call(), record.sequence(), match};
  if (other != nullptr && other->call() != record.call()) place.other_call = other->call();
  return place;
}

/// Whether different parts of two records were kept. A slice compared with a whole tensor tells
/// nothing about the rest; statistics can be compared with either.
bool are_kept_otherwise(const Record& a, const Record& b) {
  return a.kept() != b.kept() && a.kept() != Keep::statistics && b.kept() != Keep::statistics;
}

}  // namespace

void RecordRows::add(const RecordPair& pair) {
  if (pair.is_lone()) {
    const bool is_of_b = pair.a == RecordPair::none;
    const Record& record = is_of_b ? recordings_.b[pair.b] : recordings_.a[pair.a];
    add_lone(record, place_of(record, pair.match, nullptr),
             is_of_b ? Verdict::only_b : Verdict::only_a);
    return;
  }
  const Record& a = recordings_.a[pair.a];
  const Record& b = recordings_.b[pair.b];
  const RecordPlace place = place_of(a, pair.match, &b);
  if (are_kept_otherwise(a, b)) add_kept_otherwise(a, b, place);
  else add_nodes(a, b, place);
}

void RecordRows::add_lone(const Record& record, const RecordPlace& place, Verdict side) {
  const Value& value = record.value();
  switch (wanted_part(rules_.filter, place.name, {}, value)) {
    case WantedPart::none: ++draft_.result.coverage.filtered; break;
    case WantedPart::all: add_whole(place, side, "record of " + describe(value)); break;
    case WantedPart::some: {
      const std::vector<TreeNode> nodes = nodes_of(value);
      std::vector<NodePair> pairs;
      pairs.reserve(nodes.size());
      for (const TreeNode& node : nodes)
        pairs.push_back(side == Verdict::only_b ? NodePair{nullptr, &node}
                                                : NodePair{&node, nullptr});
      node_rows_.add(pairs, RecordOfNodes{place, {}});
      break;
    }
  }
}

void RecordRows::add_kept_otherwise(const Record& a, const Record& b, const RecordPlace& place) {
  if (wanted_part(rules_.filter, place.name, b.name(), a.value()) == WantedPart::none) {
    ++draft_.result.coverage.filtered;
    return;
  }
  std::string detail = "kept as ";
  detail.append(to_string(a.kept())).append(" and as ").append(to_string(b.kept()));
  add_whole(place, Verdict::kind, std::move(detail));
}

void RecordRows::add_nodes(const Record& a, const Record& b, const RecordPlace& place) {
  const std::vector<TreeNode> nodes_a = nodes_of(a.value());
  const std::vector<TreeNode> nodes_b = nodes_of(b.value());
  node_rows_.add(pair_nodes(nodes_a, nodes_b, rules_.renames), RecordOfNodes{place, b.name()});
}

void RecordRows::add_whole(const RecordPlace& place, Verdict verdict, std::string detail) {
  ComparisonRow& row = draft_.rows.add();
  row.path = place.name;
  row.record = place;
  row.verdict = verdict;
  row.detail = std::move(detail);
  draft_.count(verdict);
}

}  // namespace safestructures::inline v0::comparing
