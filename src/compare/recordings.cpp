#include <algorithm>
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
#include <safestructures/recording/options.hpp>
#include "compare/origin.hpp"
#include "compare/pairs.hpp"
#include "compare/suggest.hpp"

namespace safestructures::inline v0 {

using comparing::Comparer;
using comparing::Lone;
using comparing::Pair;
using comparing::TreeNode;

namespace {

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
  Comparer comparer(options, true);
  Comparison& result = comparer.result();
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
    const std::string statistics(to_string(Keep::statistics));
    if (pair.a->kept() != pair.b->kept() && pair.a->kept() != statistics &&
        pair.b->kept() != statistics) {
      // A slice beside a tensor says nothing of the rest.
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
  comparer.measure();
  std::map<std::uint64_t, std::uint64_t> threads;
  for (const Record& record : a) threads.emplace(record.sequence(), record.thread());
  comparing::trace_errors(result, threads);
  comparer.suspect();
  if (options.suggest) result.suggestions = suggestions(pairs, comparer);
  note_state(a, "a", result.notes);
  note_state(b, "b", result.notes);
  if (by_order != 0)
    result.notes.push_back(
        "records paired by their order, because their calls are numbered differently: " +
        std::to_string(by_order));
  comparer.add_notes();
  return std::move(result);
}

}  // namespace safestructures::inline v0
