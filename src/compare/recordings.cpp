#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "compare/pairs.hpp"
#include "compare/suggest.hpp"

namespace safestructures::inline v0 {

using comparing::Comparer;
using comparing::Lone;
using comparing::Pair;
using comparing::TreeNode;

namespace {

/// A record whose error is so many times the largest before it makes some of its own.
constexpr double makes_error_from = 2;

RecordPlace place_of(const Record& record) {
  return {record.name(), record.step(), record.call(), record.sequence()};
}

/// Records of one step by name.
using Key = std::pair<std::string, std::int64_t>;

struct RecordPair {
  const Record* a = nullptr;
  const Record* b = nullptr;
  bool by_order = false;
};

/// In the order of a's calls; those of b alone come last.
std::vector<RecordPair> pair_records(const Recording& a, const Recording& b, Comparer& comparer) {
  std::map<std::tuple<std::string, std::int64_t, std::uint64_t>, const Record*> by_call;
  for (const Record& record : b)
    by_call.try_emplace({record.name(), record.step(), record.call()}, &record);
  std::vector<RecordPair> pairs;
  std::vector<Key> keys;
  std::set<const Record*> used;
  for (const Record& record : a) {
    std::string name = comparer.renames().name(record.name()).value_or(record.name());
    const auto found = by_call.find({name, record.step(), record.call()});
    RecordPair pair{&record, nullptr, false};
    if (found != by_call.end() && used.insert(found->second).second) pair.b = found->second;
    pairs.push_back(pair);
    keys.emplace_back(std::move(name), record.step());
  }
  std::map<Key, std::deque<const Record*>> left;
  for (const Record& record : b)
    if (!used.contains(&record)) left[{record.name(), record.step()}].push_back(&record);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].b != nullptr) continue;
    const auto found = left.find(keys[i]);
    if (found == left.end() || found->second.empty()) continue;
    pairs[i].b = found->second.front();
    pairs[i].by_order = true;
    used.insert(pairs[i].b);
    found->second.pop_front();
  }
  for (const Record& record : b)
    if (!used.contains(&record)) pairs.push_back({nullptr, &record, false});
  return pairs;
}

/// How large the error of a row is; infinite where it has no measure.
double error_of(const ComparisonRow& row) {
  if (row.metrics) {
    const TensorMetrics& found = *row.metrics;
    const NonFiniteCounts& other = found.non_finite;
    const bool is_finite = other.nan_only_a + other.nan_only_b + other.infinity_only_a +
                               other.infinity_only_b + other.infinity_signs ==
                           0;
    if (is_finite && found.relative_l2) return *found.relative_l2;
    if (is_finite && found.compared == 0) return 0;
  }
  return is_difference(row.verdict) && row.verdict != Verdict::only_a &&
                 row.verdict != Verdict::only_b
             ? HUGE_VAL
             : 0;
}

/// Says of each record how its error is beside those before it in its step.
void trace_errors(std::vector<ComparisonRow>& rows) {
  std::map<std::int64_t, double> largest;
  for (std::size_t begin = 0; begin < rows.size();) {
    const RecordPlace& place = *rows[begin].record;
    std::size_t end = begin;
    double own = 0;
    bool is_different = false;
    for (; end < rows.size() && rows[end].record->sequence == place.sequence &&
           rows[end].record->name == place.name;
         ++end) {
      own = std::max(own, error_of(rows[end]));
      is_different = is_different ||
                     (is_difference(rows[end].verdict) && rows[end].verdict != Verdict::only_a &&
                      rows[end].verdict != Verdict::only_b);
    }
    double& before = largest[place.step];
    for (std::size_t i = begin; i < end; ++i) {
      if (before > 0 && std::isfinite(before) && std::isfinite(own)) rows[i].growth = own / before;
      rows[i].makes_error =
          is_different && is_difference(rows[i].verdict) && own > makes_error_from * before;
    }
    before = std::max(before, own);
    begin = end;
  }
}

void note_state(const Recording& recording, const std::string& side,
                std::vector<std::string>& notes) {
  for (const std::string& problem : recording.problems())
    notes.push_back(std::string(side).append(": ").append(problem));
  if (!recording.is_closed())
    notes.push_back(side + ": the recording was not closed, so records may be missing");
  if (const std::size_t at = recording.about().find("\"left_out\": {\""); at != std::string::npos) {
    const std::string text = recording.about().substr(at + 12);
    notes.push_back(
        side + ": the recorder left out or thinned records: " + text.substr(0, text.size() - 1));
  }
}

std::vector<RenameSuggestion> suggestions(const std::vector<RecordPair>& pairs,
                                          const Comparer& comparer) {
  std::vector<Lone> a;
  std::vector<Lone> b;
  std::set<std::string> known_a;
  std::set<std::string> known_b;
  for (const RecordPair& pair : pairs) {
    if ((pair.a == nullptr) == (pair.b == nullptr)) continue;
    const Record& record = pair.a != nullptr ? *pair.a : *pair.b;
    if (record.value().kind() != Kind::tensor || !comparer.is_wanted(record.name())) continue;
    // The first of each name stands for all.
    if (!(pair.a != nullptr ? known_a : known_b).insert(record.name()).second) continue;
    (pair.a != nullptr ? a : b).push_back({record.name(), record.value().tensor()});
  }
  return comparing::suggest(a, b);
}

}  // namespace

Comparison compare(const Recording& a, const Recording& b, const CompareOptions& options) {
  Comparer comparer(options);
  Comparison& result = comparer.result();
  result.is_of_recordings = true;
  const std::vector<RecordPair> pairs = pair_records(a, b, comparer);
  std::uint64_t bytes = 0;
  std::size_t by_order = 0;
  const auto nodes_of = [](const RecordPair& pair) {
    return std::pair(comparing::nodes_of(pair.a->value()), comparing::nodes_of(pair.b->value()));
  };
  for (const RecordPair& pair : pairs) {
    if (pair.a == nullptr || pair.b == nullptr || !options.progress) continue;
    const auto [left, right] = nodes_of(pair);
    bytes += comparer.bytes_of(comparer.pair(left, right));
  }
  comparer.expect(bytes);
  for (const RecordPair& pair : pairs) {
    if (pair.a == nullptr || pair.b == nullptr) {
      const Record& record = pair.a != nullptr ? *pair.a : *pair.b;
      comparer.add_lone(place_of(record), pair.a != nullptr ? Verdict::only_a : Verdict::only_b,
                        "record of " + describe(record.value()));
      continue;
    }
    if (pair.by_order) ++by_order;
    if (pair.a->kept() != pair.b->kept()) {
      // Statistics beside a tensor say nothing of its numbers.
      comparer.add_lone(place_of(*pair.a), Verdict::kind,
                        "kept as " + pair.a->kept() + " and as " + pair.b->kept());
      continue;
    }
    const auto [left, right] = nodes_of(pair);
    try {
      comparer.add(comparer.pair(left, right), place_of(*pair.a), pair.b->name());
    } catch (const Error& error) {
      throw error.below(pair.a->name());
    }
  }
  trace_errors(result.rows);
  if (options.suggest) result.suggestions = suggestions(pairs, comparer);
  note_state(a, "a", result.notes);
  note_state(b, "b", result.notes);
  if (by_order != 0)
    result.notes.push_back(std::to_string(by_order) +
                           " records were paired by their order, because their calls are numbered "
                           "differently");
  for (std::string& note : comparer.renames().unused()) result.notes.push_back(std::move(note));
  return std::move(result);
}

}  // namespace safestructures::inline v0
