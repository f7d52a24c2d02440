#include "compare/pairing/record_pairs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include <safestructures/data/value.hpp>
#include "compare/pairing/align.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "data/keyed_hash.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

constexpr std::uint32_t no_name = std::numeric_limits<std::uint32_t>::max();

/// The key that records are matched by. The name is its index in b.
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

Key without_call(Key key) {
  key.call = 0;
  return key;
}

Key key_of(const RecordTable::Place& place) {
  const recording::ReadColumns& columns = place.part->segment->columns();
  return {place.name(), columns.step[place.record], columns.call[place.record]};
}

/// The records of one recording. Each can be taken once.
class Records {
 public:
  explicit Records(const RecordTable& table)
      : table_(table), cursor_(table), is_taken_(table.size()) {}

  /// Takes the first record with that key, or returns none.
  std::size_t take_call(const Key& key) {
    // The usual case: two runs of one program.
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

  std::size_t take(std::size_t index) {
    is_taken_[index] = true;
    next_ = index + 1;
    return index;
  }
  void give_back(std::size_t index) { is_taken_[index] = false; }
  [[nodiscard]] bool is_taken(std::size_t index) const { return is_taken_[index]; }

 private:
  const RecordTable& table_;
  recording::RecordCursor cursor_;
  std::vector<bool> is_taken_;
  std::size_t next_ = 0;
  std::optional<std::unordered_map<Key, std::size_t, KeyHash>> by_call_;
};

/// Returns, for each name of a, the index of its counterpart in b.
std::vector<std::uint32_t> names_in(const RecordTable& b, const RecordTable& a, Renames& renames) {
  std::vector<std::uint32_t> names;
  names.reserve(a.names().size());
  std::vector<bool> is_taken(renames.empty() ? 0 : b.names().size());
  std::vector<bool> is_renamed;
  for (const std::string& name : a.names()) {
    // A rule for a name that looks like a path looks like a rule for paths.
    std::optional<Renames::Renamed> renamed;
    if (name.starts_with('/')) renamed = renames.path(name);
    if (!renamed) renamed = renames.name(name);
    const std::string& wanted = renamed ? renamed->text() : name;
    // The usual case: two runs of one program.
    const std::size_t same = names.size();
    names.push_back(same < b.names().size() && b.names()[same] == wanted
                        ? static_cast<std::uint32_t>(same)
                        : b.place_of(wanted).value_or(no_name));
    is_renamed.push_back(renamed.has_value());
    if (!renamed || names.back() == no_name || is_taken[names.back()]) continue;
    is_taken[names.back()] = true;
    renamed->use();
  }
  // A rule takes precedence, so no other name may map to its target.
  for (std::size_t i = 0; i < names.size() && !is_taken.empty(); ++i)
    if (!is_renamed[i] && names[i] != no_name && is_taken[names[i]]) names[i] = no_name;
  return names;
}

/// Whether both have the same calls in the same order. \param names for each name of a, its index
/// in b
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

/// Numbers records by the shapes in their values.
class Forms {
 public:
  std::uint32_t of(const recording::StoredRecord& record) {
    const auto [known, is_new] = by_value_.try_emplace({record.value, record.is_row()}, 0);
    if (is_new) {
      const std::string text = text_of(record);
      known->second =
          by_text_.try_emplace(text, static_cast<std::uint32_t>(by_text_.size())).first->second;
    }
    return known->second;
  }

 private:
  static std::string text_of(const recording::StoredRecord& record) {
    if (record.is_row()) {
      const auto shape = record.value->tensor().shape().span().subspan(1);
      return ": " + to_string(Shape(shape));
    }
    std::string text;
    for (const TreeNode& node : nodes_of(*record.value)) {
      text += node.path + ": ";
      if (node.value->kind() == Kind::tensor) text += to_string(node.value->tensor().shape());
      text += '\n';
    }
    if (record.value->kind() == Kind::tensor) text.pop_back();
    return text;
  }

  std::map<std::pair<const Value*, bool>, std::uint32_t> by_value_;
  std::map<std::string, std::uint32_t> by_text_;
};

/// The calls of a name in one step of both runs.
struct Group {
  std::vector<std::size_t> pairs;  ///< Indices of a's pairs.
  std::vector<std::size_t> b;      ///< Indices of records.
};

/// Aligns the calls of every name and step in which some call has no partner.
class Aligner {
 public:
  Aligner(const RecordTable& a, const RecordTable& b, std::span<const std::uint32_t> names)
      : a_(a), b_(b), names_(names) {}

  /// \param pairs by call number, including those that only a has
  /// \param records of b; those without a partner are not taken
  void align(RecordPairs& pairs, Records& records) {
    for (const RecordPair& pair : pairs.pairs)
      if (pair.is_lone()) note(key_of_a(pair.a));
    for (std::size_t i = 0; i < b_.size(); ++i)
      if (!records.is_taken(i)) note(key_of(b_cursor_.at(i)));
    if (groups_.empty()) return;
    for (std::size_t at = 0; at < pairs.pairs.size(); ++at)
      if (Group* const group = group_of(key_of_a(pairs.pairs[at].a))) group->pairs.push_back(at);
    for (std::size_t i = 0; i < b_.size(); ++i)
      if (Group* const group = group_of(key_of(b_cursor_.at(i)))) group->b.push_back(i);
    for (const auto& [key, group] : groups_)
      if (!group.pairs.empty() && !group.b.empty()) align(group, pairs, records);
  }

 private:
  void note(const Key& key) {
    if (key.name != no_name) groups_.try_emplace(without_call(key));
  }
  Group* group_of(const Key& key) {
    const auto found = groups_.find(without_call(key));
    return found == groups_.end() ? nullptr : &found->second;
  }
  Key key_of_a(std::size_t record) {
    Key key = key_of(a_cursor_.at(record));
    key.name = names_[key.name];
    return key;
  }

  void align(const Group& group, RecordPairs& pairs, Records& records) {
    std::vector<Call> mine;
    std::vector<Call> theirs;
    for (const std::size_t at : group.pairs) {
      const std::size_t record = pairs.pairs[at].a;
      mine.push_back({key_of_a(record).call, forms_.of(a_cursor_.stored_at(record))});
    }
    for (const std::size_t record : group.b) {
      theirs.push_back({key_of(b_cursor_.at(record)).call, forms_.of(b_cursor_.stored_at(record))});
      records.give_back(record);
    }
    const std::vector<Aligned> found = comparing::align(mine, theirs);
    for (std::size_t i = 0; i < found.size(); ++i) {
      RecordPair& pair = pairs.pairs[group.pairs[i]];
      pair.b = found[i].other == Aligned::none ? RecordPair::none : group.b[found[i].other];
      pair.match = found[i].match;
      if (pair.is_lone()) continue;
      records.take(pair.b);
      if (pair.match == RecordMatch::order) ++pairs.by_order;
      if (pair.match == RecordMatch::shape) ++pairs.by_shape;
    }
  }

  const RecordTable& a_;
  const RecordTable& b_;
  std::span<const std::uint32_t> names_;  // For each name of a, its index in b.
  recording::RecordCursor a_cursor_{a_};
  recording::RecordCursor b_cursor_{b_};
  std::unordered_map<Key, Group, KeyHash> groups_;
  Forms forms_;
};

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
  for (const RecordTable::Part& part : a.parts())
    for (std::size_t i = 0; i < part.size(); ++i) {
      Key key = key_of({&part, part.skipped + i});
      key.name = names[key.name];
      const std::size_t other = key.name == no_name ? RecordPair::none : records.take_call(key);
      found.pairs.push_back({part.begin + i, other, RecordMatch::call});
    }
  Aligner(a, b, names).align(found, records);
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!records.is_taken(i)) found.pairs.push_back({RecordPair::none, i, RecordMatch::call});
  return found;
}

}  // namespace safestructures::inline v0::comparing
