#include "compare/record_pairs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "data/keyed_hash.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

constexpr std::uint32_t no_name = std::numeric_limits<std::uint32_t>::max();

/// What a record is found by, its name as the place among those of b.
struct Key {
  std::uint32_t name = no_name;
  std::int64_t step = 0;
  std::uint64_t call = 0;

  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept {
    const std::array<std::uint64_t, 3> numbers{key.name, static_cast<std::uint64_t>(key.step),
                                               key.call};
    return static_cast<std::size_t>(detail::keyed_hash(numbers.data(), sizeof numbers));
  }
};

Key key_of(const RecordTable::Place& place) {
  const recording::ReadColumns& columns = place.part->segment->columns();
  return {place.name(), columns.step[place.record], columns.call[place.record]};
}

/// The records of one recording, each found until it is taken.
class Records {
 public:
  explicit Records(const RecordTable& table)
      : table_(table), cursor_(table), is_taken_(table.size()) {}

  /// The first of that key, or none.
  std::size_t take_call(const Key& key) {
    // Two runs of one program, mostly.
    if (next_ < table_.size() && !is_taken_[next_] && key_of(cursor_.at(next_)) == key)
      return take(next_);
    if (!by_call_) {
      by_call_.emplace();
      for (std::size_t i = 0; i < table_.size(); ++i)
        by_call_->try_emplace(key_of(cursor_.at(i)), i);
    }
    const auto found = by_call_->find(key);
    return found == by_call_->end() || is_taken_[found->second] ? RecordPair::none
                                                                : take(found->second);
  }

  /// The next of that name and step, or none. Called when no more are taken by their calls.
  std::size_t take_step(Key key) {
    if (!by_step_) {
      by_step_.emplace();
      for (std::size_t i = 0; i < table_.size(); ++i)
        if (!is_taken_[i]) (*by_step_)[without_call(key_of(cursor_.at(i)))].push_back(i);
    }
    const auto found = by_step_->find(without_call(key));
    if (found == by_step_->end() || found->second.empty()) return RecordPair::none;
    const std::size_t index = found->second.front();
    found->second.pop_front();
    return take(index);
  }

  [[nodiscard]] bool is_taken(std::size_t index) const { return is_taken_[index]; }

 private:
  static Key without_call(Key key) {
    key.call = 0;
    return key;
  }
  std::size_t take(std::size_t index) {
    is_taken_[index] = true;
    next_ = index + 1;
    return index;
  }

  const RecordTable& table_;
  recording::RecordCursor cursor_;
  std::vector<bool> is_taken_;
  std::size_t next_ = 0;
  std::optional<std::unordered_map<Key, std::size_t, KeyHash>> by_call_;
  std::optional<std::unordered_map<Key, std::deque<std::size_t>, KeyHash>> by_step_;
};

/// What b calls the names of a: places among its names.
std::vector<std::uint32_t> names_in(const RecordTable& b, const RecordTable& a, Renames& renames) {
  std::unordered_map<std::string_view, std::uint32_t, detail::KeyedHash> places;
  for (std::uint32_t i = 0; i < b.names().size(); ++i) places.emplace(b.names()[i], i);
  std::vector<std::uint32_t> names;
  for (const std::string& name : a.names()) {
    const std::optional<std::string> renamed = renames.name(name);
    const auto found = places.find(renamed ? *renamed : name);
    names.push_back(found == places.end() ? no_name : found->second);
  }
  return names;
}

/// Whether both have the same calls in the same order. \param names of a, as b has them
bool are_in_place(const RecordTable& a, const RecordTable& b,
                  std::span<const std::uint32_t> names) {
  if (a.size() != b.size()) return false;
  recording::RecordCursor cursor(b);
  for (const RecordTable::Part& part : a.parts())
    for (std::size_t done = 0; done < part.size();) {
      const RecordTable::Place other = cursor.at(part.begin + done);
      const recording::ReadColumns& mine = part.segment->columns();
      const recording::ReadColumns& theirs = other.part->segment->columns();
      const std::size_t from = part.skipped + done;
      const std::size_t count =
          std::min(part.size() - done, other.part->segment->size() - other.record);
      if (!std::ranges::equal(mine.step.subspan(from, count),
                              theirs.step.subspan(other.record, count)) ||
          !std::ranges::equal(mine.call.subspan(from, count),
                              theirs.call.subspan(other.record, count)))
        return false;
      for (std::size_t i = 0; i < count; ++i)
        if (names[part.names[mine.name[from + i]]] !=
            other.part->names[theirs.name[other.record + i]])
          return false;
      done += count;
    }
  return true;
}

}  // namespace

RecordPairs pair_records(const RecordTable& a, const RecordTable& b, Renames& renames) {
  const std::vector<std::uint32_t> names = names_in(b, a, renames);
  RecordPairs found;
  if (are_in_place(a, b, names)) {
    found.in_place = a.size();
    return found;
  }
  Records records(b);
  platform::reserve_huge(found.pairs, std::max(a.size(), b.size()));
  std::vector<std::pair<std::size_t, Key>> lone;  // Places in `pairs`.
  for (const RecordTable::Part& part : a.parts())
    for (std::size_t i = 0; i < part.size(); ++i) {
      Key key = key_of({&part, part.skipped + i});
      key.name = names[key.name];
      const std::size_t other = key.name == no_name ? RecordPair::none : records.take_call(key);
      if (other == RecordPair::none) lone.emplace_back(found.pairs.size(), key);
      found.pairs.push_back({part.begin + i, other});
    }
  for (const auto& [at, key] : lone) {
    if (key.name == no_name) continue;
    found.pairs[at].b = records.take_step(key);
    if (found.pairs[at].b != RecordPair::none) ++found.by_order;
  }
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!records.is_taken(i)) found.pairs.push_back({RecordPair::none, i});
  return found;
}

}  // namespace safestructures::inline v0::comparing
