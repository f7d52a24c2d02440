#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/options.hpp>
#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"
#include "compare/numbers.hpp"
#include "compare/origin/origin.hpp"
#include "compare/pairing/record_pairs.hpp"
#include "compare/pairing/suggest.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "compare/pairing/wanted_part.hpp"
#include "compare/record_rows.hpp"
#include "compare/small/small_records.hpp"
#include "compare/suspicions/suspicion_search.hpp"
#include "platform/crew.hpp"

namespace safestructures::inline v0 {

using comparing::Draft;
using comparing::Filter;
using comparing::Leaf;
using comparing::Lone;
using comparing::NameOf;
using comparing::PairedRecordings;
using comparing::RecordPair;
using comparing::Rules;
using comparing::TreeNode;

namespace {

bool is_any_wanted(const Filter& filter, const std::string& name, const std::string& other,
                   const Value& value) {
  return comparing::wanted_part(filter, name, other, value) != comparing::WantedPart::none;
}

std::vector<Leaf> leaves_of(const Record& record) {
  std::vector<Leaf> leaves;
  for (TreeNode& node : comparing::nodes_of(record.value()))
    if (node.value->has_tensor() || node.is_summary)
      leaves.push_back({std::move(node.path), node.value});
  return leaves;
}

std::vector<RenameSuggestion> record_suggestions(const PairedRecordings& recordings,
                                                 const Filter& filter, const NameOf& name_of) {
  std::vector<Lone> lone_a;
  std::vector<Lone> lone_b;
  std::set<std::string> known_a;
  std::set<std::string> known_b;
  for (const RecordPair& pair : recordings.pairs.pairs) {
    if (!pair.is_lone()) continue;
    const bool is_of_b = pair.a == RecordPair::none;
    const Record& record = is_of_b ? recordings.b[pair.b] : recordings.a[pair.a];
    std::set<std::string>& known = is_of_b ? known_b : known_a;
    // The first record of each name stands for all.
    if (known.contains(record.name()) || !is_any_wanted(filter, record.name(), {}, record.value()))
      continue;
    std::vector<Leaf> leaves = leaves_of(record);
    if (leaves.empty()) continue;
    known.insert(record.name());
    (is_of_b ? lone_b : lone_a).push_back({record.name(), std::move(leaves)});
  }
  return comparing::suggest(lone_a, lone_b, name_of);
}

bool has_slices(const recording::RecordTable& table) {
  return std::ranges::any_of(table.parts(), [](const recording::RecordTable::Part& part) {
    const auto kept = part.segment->columns().kept.subspan(part.skipped);
    return std::ranges::find(kept, static_cast<std::uint8_t>(Keep::slice)) != kept.end();
  });
}

/// Counts the records of which both recordings kept a slice, so that the rest was not compared.
std::size_t count_slices(const PairedRecordings& recordings, const Filter& filter) {
  constexpr auto slice = static_cast<std::uint8_t>(Keep::slice);
  const recording::RecordTable& a = recordings.table_a;
  const recording::RecordTable& b = recordings.table_b;
  if (!has_slices(a)) return 0;
  recording::RecordCursor records_a(a);
  recording::RecordCursor records_b(b);
  std::size_t count = 0;
  for (std::size_t i = 0; i < recordings.pairs.size(); ++i) {
    const RecordPair pair = recordings.pairs[i];
    if (pair.is_lone()) continue;
    const recording::StoredRecord one = records_a.stored_at(pair.a);
    const recording::StoredRecord other = records_b.stored_at(pair.b);
    if (one.kept == slice && other.kept == slice &&
        is_any_wanted(filter, a.names()[one.name], b.names()[other.name], *one.value))
      ++count;
  }
  return count;
}

/// Adds the rows of all records; those of small tensors are compared.
void add_records(const PairedRecordings& recordings, Rules& rules, Draft& draft) {
  comparing::SmallRecords small(recordings, rules, draft);
  if (small.compare_all()) return;
  comparing::RecordRows rows(recordings, rules, draft);
  for (std::size_t i = 0; i < recordings.pairs.size(); ++i) {
    const RecordPair pair = recordings.pairs[i];
    if (!small.add(pair)) rows.add(pair);
  }
  small.compare_added();
}

/// Adds what the recordings say of themselves, and which records were paired or compared less
/// certainly than others.
void add_notes_on_records(const PairedRecordings& recordings, const Filter& filter,
                          std::vector<std::string>& notes) {
  for (const std::string& note : recordings.a.notes()) notes.push_back("a: " + note);
  for (const std::string& note : recordings.b.notes()) notes.push_back("b: " + note);
  const auto note = [&](std::string text, std::size_t count) {
    if (count != 0) notes.push_back(std::move(text) + std::to_string(count));
  };
  note("records paired by their order, because their calls are numbered differently: ",
       recordings.pairs.by_order);
  note("records paired by their shapes, because their calls are numbered differently: ",
       recordings.pairs.by_shape);
  note(
      "records of which both recordings kept a slice, so that the rest of their tensors was not "
      "compared: ",
      count_slices(recordings, filter));
}

}  // namespace

Comparison compare(const Recording& a, const Recording& b, const CompareOptions& options) {
  const platform::CrewScope crew;
  const bool of_recordings = true;
  Rules rules(options, of_recordings);
  Draft draft(rules,
              [&](bool is_of_b) { return (is_of_b ? b : a)[0].file().parent_path().string(); });
  const PairedRecordings recordings(a, b, rules.renames);
  draft.held.set_compact_values([&](std::size_t record) {
    const RecordPair pair = recordings.pairs[record];
    return std::pair(&a[pair.a].value(), &b[pair.b].value());
  });
  add_records(recordings, rules, draft);
  comparing::compare_numbers(rules, draft);
  comparing::trace_errors(draft.result, a);
  comparing::look_for_suspicions(rules, draft);
  if (options.suggest)
    draft.result.suggestions = record_suggestions(recordings, rules.filter, draft.name_of);
  add_notes_on_records(recordings, rules.filter, draft.result.notes);
  draft.add_notes(rules);
  return std::move(draft.result);
}

}  // namespace safestructures::inline v0
