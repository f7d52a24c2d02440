#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/recording/options.hpp>
#include "compare/origin.hpp"
#include "compare/pairs.hpp"
#include "compare/suggest.hpp"
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0 {

using comparing::Comparer;
using comparing::Lone;
using comparing::Pair;
using comparing::TreeNode;

namespace {

RecordPlace place_of(const Record& record) {
  return {record.name(), record.step(), record.call(), record.sequence()};
}

struct RecordPair {
  const Record* a = nullptr;
  const Record* b = nullptr;
  bool by_order = false;
};

/// The records of one recording, each found until it is taken.
class Records {
 public:
  explicit Records(const Recording& recording)
      : recording_(recording), is_taken_(recording.size()) {}

  /// The first of that name, step and call, or null.
  const Record* take_call(std::string_view name, const Record& like) {
    // Two runs of one program, mostly.
    if (next_ < recording_.size() && !is_taken_[next_] && is(recording_[next_], name, like))
      return take(next_);
    if (!by_call_) {
      by_call_.emplace();
      for (std::size_t i = 0; i < recording_.size(); ++i) {
        const Record& record = recording_[i];
        by_call_->try_emplace({record.name(), record.step(), record.call()}, i);
      }
    }
    const auto found = by_call_->find({name, like.step(), like.call()});
    return found == by_call_->end() || is_taken_[found->second] ? nullptr : take(found->second);
  }

  /// The next of that name and step, or null. Called when no more are taken by their calls.
  const Record* take_step(std::string_view name, const Record& like) {
    if (!by_step_) {
      by_step_.emplace();
      for (const std::size_t i : left())
        (*by_step_)[{recording_[i].name(), recording_[i].step(), 0}].push_back(i);
    }
    const auto found = by_step_->find({name, like.step(), 0});
    if (found == by_step_->end() || found->second.empty()) return nullptr;
    const std::size_t index = found->second.front();
    found->second.pop_front();
    return take(index);
  }

  /// Where those are that were not taken.
  [[nodiscard]] std::vector<std::size_t> left() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < recording_.size(); ++i)
      if (!is_taken_[i]) places.push_back(i);
    return places;
  }

 private:
  struct Key {
    std::string_view name;
    std::int64_t step;
    std::uint64_t call;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      const std::array<std::uint64_t, 2> numbers{static_cast<std::uint64_t>(key.step), key.call};
      return static_cast<std::size_t>(detail::keyed_hash(
          key.name.data(), key.name.size(), detail::keyed_hash(numbers.data(), sizeof numbers)));
    }
  };

  static bool is(const Record& record, std::string_view name, const Record& like) {
    return record.call() == like.call() && record.step() == like.step() && record.name() == name;
  }
  const Record* take(std::size_t index) {
    is_taken_[index] = true;
    next_ = index + 1;
    return &recording_[index];
  }

  const Recording& recording_;
  std::vector<bool> is_taken_;
  std::size_t next_ = 0;
  std::optional<std::unordered_map<Key, std::size_t, Hash>> by_call_;
  std::optional<std::unordered_map<Key, std::deque<std::size_t>, Hash>> by_step_;
};

/// In the order of a's calls; those of b alone come last.
std::vector<RecordPair> pair_records(const Recording& a, const Recording& b, Comparer& comparer) {
  Records records(b);
  std::vector<RecordPair> pairs;
  pairs.reserve(std::max(a.size(), b.size()));
  std::vector<std::pair<std::size_t, std::string>> lone;  // In `pairs`, and what b calls them.
  for (const Record& record : a) {
    const std::optional<std::string> renamed = comparer.renames().name(record.name());
    const std::string_view name = renamed ? *renamed : record.name();
    pairs.push_back({&record, records.take_call(name, record), false});
    if (pairs.back().b == nullptr) lone.emplace_back(pairs.size() - 1, name);
  }
  for (const auto& [at, name] : lone) {
    pairs[at].b = records.take_step(name, *pairs[at].a);
    pairs[at].by_order = pairs[at].b != nullptr;
  }
  for (const std::size_t i : records.left()) pairs.push_back({nullptr, &b[i], false});
  return pairs;
}

/// Whether there is a row for a pair, whatever it holds: of other values those that differ have
/// one.
bool has_row(const RecordPair& pair) {
  return pair.a == nullptr || pair.b == nullptr ||
         (pair.a->value().kind() == Kind::tensor && pair.b->value().kind() == Kind::tensor);
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
  comparer.reserve(static_cast<std::size_t>(std::ranges::count_if(pairs, has_row)));
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
    if (pair.a->kept() != pair.b->kept() && pair.a->kept() != Keep::statistics &&
        pair.b->kept() != Keep::statistics) {
      // A slice beside a tensor says nothing of the rest.
      comparer.add_lone(place_of(*pair.a), Verdict::kind,
                        std::string("kept as ")
                            .append(to_string(pair.a->kept()))
                            .append(" and as ")
                            .append(to_string(pair.b->kept())));
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
  comparing::trace_errors(result, a);
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
