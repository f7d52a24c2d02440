#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/recording/options.hpp>
#include "compare/origin.hpp"
#include "compare/pairing/record_pairs.hpp"
#include "compare/pairing/suggest.hpp"
#include "compare/pairs.hpp"
#include "compare/small_records.hpp"
#include "platform/crew.hpp"

namespace safestructures::inline v0 {

using comparing::Comparer;
using comparing::Leaf;
using comparing::Lone;
using comparing::RecordPair;
using comparing::RecordPairs;
using comparing::TreeNode;

namespace {

/// \param other its partner in the second recording; null if it has none
RecordPlace place_of(const Record& record, RecordMatch match, const Record* other) {
  RecordPlace place{record.name(), record.step(), record.call(), record.sequence(), match};
  if (other != nullptr && other->call() != record.call()) place.other_call = other->call();
  return place;
}

bool is_any_wanted(const Comparer& comparer, const std::string& name, const std::string& other,
                   const Value& value) {
  return comparer.wanted_part(name, other, value) != Comparer::Part::none;
}

std::vector<Leaf> leaves_of(const Record& record) {
  std::vector<Leaf> leaves;
  for (TreeNode& node : comparing::nodes_of(record.value()))
    if (node.value->has_tensor() || node.is_summary)
      leaves.push_back({std::move(node.path), node.value});
  return leaves;
}

std::vector<RenameSuggestion> suggestions(const RecordPairs& pairs, const Recording& a,
                                          const Recording& b, const Comparer& comparer) {
  std::vector<Lone> lone_a;
  std::vector<Lone> lone_b;
  std::set<std::string> known_a;
  std::set<std::string> known_b;
  for (const RecordPair& pair : pairs.pairs) {
    if (!pair.is_lone()) continue;
    const bool is_of_b = pair.a == RecordPair::none;
    const Record& record = is_of_b ? b[pair.b] : a[pair.a];
    std::set<std::string>& known = is_of_b ? known_b : known_a;
    // The first record of each name stands for all.
    if (known.contains(record.name()) ||
        !is_any_wanted(comparer, record.name(), {}, record.value()))
      continue;
    std::vector<Leaf> leaves = leaves_of(record);
    if (leaves.empty()) continue;
    known.insert(record.name());
    (is_of_b ? lone_b : lone_a).push_back({record.name(), std::move(leaves)});
  }
  return comparing::suggest(lone_a, lone_b);
}

/// Counts the records of which both recordings kept a slice, so that the rest was not compared.
std::size_t count_slices(const RecordPairs& pairs, const recording::RecordTable& a,
                         const recording::RecordTable& b, const Comparer& comparer) {
  constexpr auto slice = static_cast<std::uint8_t>(Keep::slice);
  const bool is_any =
      std::ranges::any_of(a.parts(), [slice](const recording::RecordTable::Part& part) {
        const auto kept = part.segment->columns().kept.subspan(part.skipped);
        return std::ranges::find(kept, slice) != kept.end();
      });
  if (!is_any) return 0;
  recording::RecordCursor records_a(a);
  recording::RecordCursor records_b(b);
  std::size_t count = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const RecordPair pair = pairs[i];
    if (pair.is_lone()) continue;
    const recording::StoredRecord one = records_a.stored_at(pair.a);
    const recording::StoredRecord other = records_b.stored_at(pair.b);
    if (one.kept == slice && other.kept == slice &&
        is_any_wanted(comparer, a.names()[one.name], b.names()[other.name], *one.value))
      ++count;
  }
  return count;
}

}  // namespace

Comparison compare(const Recording& a, const Recording& b, const CompareOptions& options) {
  const platform::CrewScope crew;
  Comparer comparer(options, true);
  comparer.set_name_of(
      [&](bool is_of_b) { return (is_of_b ? b : a)[0].file().parent_path().string(); });
  Comparison& result = comparer.result();
  const recording::RecordTable& table_a = recording::RecordTable::of(a);
  const recording::RecordTable& table_b = recording::RecordTable::of(b);
  const RecordPairs pairs = comparing::pair_records(table_a, table_b, comparer.renames());
  comparing::SmallRecords small(table_a, table_b, pairs, options, comparer);
  comparer.set_compact_values([&](std::size_t record) {
    const RecordPair pair = pairs[record];
    return std::pair(&a[pair.a].value(), &b[pair.b].value());
  });
  const std::size_t done = small.measure_all() ? pairs.size() : 0;
  for (std::size_t i = done; i < pairs.size(); ++i) {
    const RecordPair pair = pairs[i];
    if (small.add(pair)) continue;
    if (pair.is_lone()) {
      const bool is_of_b = pair.a == RecordPair::none;
      const Record& record = is_of_b ? b[pair.b] : a[pair.a];
      comparer.add_lone(place_of(record, pair.match, nullptr), record.value(), is_of_b);
      continue;
    }
    const Record& one = a[pair.a];
    const Record& other = b[pair.b];
    if (one.kept() != other.kept() && one.kept() != Keep::statistics &&
        other.kept() != Keep::statistics) {
      // A slice compared with a whole tensor tells nothing about the rest.
      comparer.add_other_kind(place_of(one, pair.match, &other), other.name(), one.value(),
                              std::string("kept as ")
                                  .append(to_string(one.kept()))
                                  .append(" and as ")
                                  .append(to_string(other.kept())));
      continue;
    }
    try {
      comparer.add(
          comparer.pair(comparing::nodes_of(one.value()), comparing::nodes_of(other.value())),
          place_of(one, pair.match, &other), other.name());
    } catch (const Error& error) {
      throw error.with_parent_path(one.name());
    }
  }
  if (done == 0) small.measure();
  comparer.measure();
  comparing::trace_errors(result, a);
  comparer.suspect();
  if (options.suggest) result.suggestions = suggestions(pairs, a, b, comparer);
  for (const std::string& note : a.notes()) result.notes.push_back("a: " + note);
  for (const std::string& note : b.notes()) result.notes.push_back("b: " + note);
  if (pairs.by_order != 0)
    result.notes.push_back(
        "records paired by their order, because their calls are numbered differently: " +
        std::to_string(pairs.by_order));
  if (pairs.by_shape != 0)
    result.notes.push_back(
        "records paired by their shapes, because their calls are numbered differently: " +
        std::to_string(pairs.by_shape));
  if (const std::size_t count = count_slices(pairs, table_a, table_b, comparer); count != 0)
    result.notes.push_back(
        "records of which both recordings kept a slice, so that the rest of their tensors was not "
        "compared: " +
        std::to_string(count));
  comparer.add_notes();
  return std::move(result);
}

}  // namespace safestructures::inline v0
