#include "data/dict.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "data/box.hpp"
#include "data/digest.hpp"

namespace safestructures::inline v0::detail {
namespace {

/// How deep tuples may nest in a key.
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

std::uint32_t upper(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

bool is_hashable(const Value& key) noexcept { return is_hashable_to(key, key_depth); }

std::size_t find_repeated(const std::vector<Value>& items) {
  Digester digest(Digester::Memory::leave);
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
  // Large keys are compared with their equals only: each has left its digest when it was inserted.
  return scan_or_probe(hash, [&](const Value& other) {
    if (other.kind() != key.kind()) return false;
    const std::uint64_t left = Box::of(other)->digest;
    return (left == 0 || left == hash) && other == key;
  });
}

bool Dict::insert(Value& key, Value& value) {
  if (!is_hashable(key))
    throw Error(
        ErrorCode::invalid_argument, "a dict key cannot be of this kind",
        {.expected = "what Python can hash: no list, dict, set or tensor", .found = describe(key)});
  const std::size_t count = entries_.size() + 1;
  if (count == std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::limit_exceeded, "a dict has too many entries",
                {.expected = "less than 2^32"});
  if (count > scan_limit && count * 2 > slots_.size()) rebuild(std::bit_ceil(count * 4));
  if (key.kind() == Kind::string && slots_.empty()) {
    if (has_among_few(Box::string(key))) return false;
    add(key, value);
    return true;
  }
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
    // Names in a struct are often as long as others, but seldom begin as they do.
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
