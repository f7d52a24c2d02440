#include "data/dict.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include "data/box.hpp"
#include "data/digest.hpp"

namespace safestructures::inline v0::detail {
namespace {

/// How deep tuples may be nested in a key.
constexpr int key_depth = 16;

// Recursive, to key_depth.
bool is_hashable_to(const Value& key, int depth) noexcept {
  switch (key.kind()) {
    case Kind::list:
    case Kind::dict:
    case Kind::tensor: return false;
    case Kind::set: return key.type_name() == "frozenset";
    case Kind::tuple:
      return depth > 0 && std::ranges::all_of(key.items(), [&](const Value& item) {
               return is_hashable_to(item, depth - 1);
             });
    default: return true;
  }
}

/// Compares two values of the kinds that sets usually hold; unordered if one is of another kind, or
/// NaN. Equal values are never less. Recursive, up to `depth`.
std::partial_ordering order_of(const Value& a, const Value& b, int depth) {
  if (a.kind() != b.kind()) return a.kind() <=> b.kind();
  switch (a.kind()) {
    case Kind::integer: {
      const std::int64_t* const x = Box::integer(a);
      const std::int64_t* const y = Box::integer(b);
      if (x == nullptr || y == nullptr) return std::partial_ordering::unordered;
      return *x <=> *y;
    }
    case Kind::floating: return Box::floating(a) <=> Box::floating(b);
    case Kind::string: return Box::string(a) <=> Box::string(b);
    case Kind::tuple: {
      if (depth == 0) return std::partial_ordering::unordered;
      const std::vector<Value>& x = Box::items(a);
      const std::vector<Value>& y = Box::items(b);
      for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
        if (const auto items = order_of(x[i], y[i], depth - 1); items != 0) return items;
      return x.size() <=> y.size();
    }
    default: return std::partial_ordering::unordered;
  }
}

std::uint32_t upper(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

bool is_hashable(const Value& key) noexcept { return is_hashable_to(key, key_depth); }

std::size_t find_repeated(const std::vector<Value>& items) {
  Digester digest(Digester::Memory::leave);
  return find_repeated(items, digest);
}

std::size_t find_repeated(const std::vector<Value>& items, Digester& digest) {
  // Strictly monotonic items are distinct: most sets are sorted, and need no digests.
  const auto only = [&](std::partial_ordering direction) {
    return std::ranges::adjacent_find(items, [&](const Value& a, const Value& b) {
             return order_of(a, b, key_depth) != direction;
           }) == items.end();
  };
  if (only(std::partial_ordering::less) || only(std::partial_ordering::greater)) return Dict::npos;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order.emplace_back(digest(items[i]), i);
  std::ranges::sort(order);
  std::size_t found = Dict::npos;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i; j-- > 0 && order[j].first == order[i].first;)
      if (items[order[i].second] == items[order[j].second]) {
        found = std::min(found, order[i].second);
        break;
      }
  return found;
}

Error repeated_item(const std::vector<Value>& items, std::size_t position, const Trace* trace,
                    std::optional<std::uint64_t> offset) {
  const Trace step{trace, {}, position};
  return {ErrorCode::duplicate_name,
          "a set contains an item twice",
          {.path = to_string(&step),
           .found = describe(items[position]),
           .advice = "Use a list, which may repeat items; all NaN count as one item of a set",
           .offset = offset}};
}

void Dict::reserve(std::size_t count) {
  entries_.reserve(count);
  if (count > scan_limit && count * 2 > slots_.size()) rebuild(std::bit_ceil(count * 2));
}

template <class Equal>
std::size_t Dict::scan_or_probe(std::uint64_t hash, const Equal& equal) const {
  if (slots_.empty()) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (equal(entries_[i].key)) return i;
    return npos;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i].position != 0; i = (i + 1) & mask)
    if (slots_[i].hash == upper(hash) && equal(entries_[slots_[i].position - 1].key))
      return slots_[i].position - 1;
  return npos;
}

std::size_t Dict::find(const Value& key) const {
  if (!is_hashable(key)) return npos;
  return find(key, needs_hash(key) ? Digester(Digester::Memory::read)(key) : 0);
}

std::size_t Dict::find(std::string_view key) const noexcept {
  return find(key, slots_.empty() ? 0 : digest_of(key));
}

std::size_t Dict::find(std::string_view key, std::uint64_t hash) const noexcept {
  return scan_or_probe(hash, [&](const Value& other) {
    return other.kind() == Kind::string && Box::string(other) == key;
  });
}

std::size_t Dict::find(const Value& key, std::uint64_t hash) const {
  if (key.kind() == Kind::string) return find(std::string_view(Box::string(key)), hash);
  if (key.kind() < Kind::string)
    return scan_or_probe(hash, [&](const Value& other) { return other == key; });
  // Large keys are compared only with likely equals: each stored its digest when it was inserted.
  return scan_or_probe(hash, [&](const Value& other) {
    if (other.kind() != key.kind()) return false;
    const std::uint64_t left = Box::left_digest(other);
    return (left == 0 || left == hash) && other == key;
  });
}

bool Dict::insert(Value& key, Value& value) {
  if (key.kind() == Kind::string && slots_.empty() && entries_.size() < scan_limit) {
    if (has_among_few(Box::string(key))) return false;
    add(key, value);
    return true;
  }
  if (!is_hashable(key))
    throw Error(ErrorCode::invalid_argument, "a value of this type cannot be a dict key",
                {.expected = "a type that Python can hash, not a list, dict, set or tensor",
                 .found = describe(key)});
  const std::size_t count = entries_.size() + 1;
  if (count == std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::limit_exceeded, "a dict has too many entries",
                {.expected = "less than 2^32"});
  if (count > scan_limit && count * 2 > slots_.size()) rebuild(std::bit_ceil(count * 4));
  const std::uint64_t hash = needs_hash(key) ? Digester(Digester::Memory::leave)(key) : 0;
  if (find(key, hash) != npos) return false;
  add(key, value);
  if (!slots_.empty()) place(hash, count - 1);
  return true;
}

std::size_t Dict::insert_all(std::span<Entry> entries) {
  const std::size_t count = entries_.size() + entries.size();
  reserve(count);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    if (count > scan_limit || entry.key.kind() != Kind::string) {
      if (!insert(entry.key, entry.value)) return i;
    } else {
      if (has_among_few(Box::string(entry.key))) return i;
      add(entry.key, entry.value);
    }
  }
  return entries.size();
}

void Dict::add(Value& key, Value& value) {
  Entry& added = entries_.emplace_back();
  Box::move(key, added.key);
  Box::move(value, added.value);
}

bool Dict::has_among_few(std::string_view key) const noexcept {
  for (const Entry& entry : entries_) {
    if (entry.key.kind() != Kind::string) continue;
    const std::string& other = Box::string(entry.key);
    // Names in a struct often have the same length, but seldom the same first letter.
    if (other.size() == key.size() && (key.empty() || other[0] == key[0]) && other == key)
      return true;
  }
  return false;
}

Dict Dict::shell() const {
  Dict result;
  result.entries_.resize(entries_.size());
  result.slots_ = slots_;
  return result;
}

std::vector<Entry> Dict::take() noexcept {
  slots_.clear();
  return std::exchange(entries_, {});
}

void Dict::erase(std::size_t position) {
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position));
  if (entries_.size() > scan_limit) rebuild(slots_.size());
  else slots_.clear();
}

void Dict::rebuild(std::size_t capacity) {
  slots_.assign(capacity, Slot{0, 0});
  Digester digest(Digester::Memory::leave);
  for (std::size_t i = 0; i < entries_.size(); ++i) place(digest(entries_[i].key), i);
}

void Dict::place(std::uint64_t hash, std::size_t position) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].position != 0) i = (i + 1) & mask;
  slots_[i] = {upper(hash), static_cast<std::uint32_t>(position + 1)};
}

}  // namespace safestructures::inline v0::detail
