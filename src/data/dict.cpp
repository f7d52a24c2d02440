#include "data/dict.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "data/keyed_hash.hpp"

namespace safestructures::detail {
namespace {

std::uint64_t hash_text(std::string_view text) {
  return keyed_hash(text.data(), text.size(), static_cast<std::uint64_t>(Kind::string));
}

template <class T>
std::uint64_t hash_number(const T& number, Kind kind) {
  return keyed_hash(&number, sizeof number, static_cast<std::uint64_t>(kind));
}

std::uint64_t hash_double(double number) {
  // All NaN are one key, as operator== sees them.
  return hash_number(number != number ? std::numeric_limits<double>::quiet_NaN() : number,
                     Kind::floating);
}

/// How deep tuples may nest in a key.
constexpr int key_depth = 16;
/// How deep values are looked into: further than any file nests, so that none holds values that
/// differ only below. Deeper parts are left to comparison, which goes all the way.
constexpr int hash_depth = 1000;

// Recursive, to hash_depth.
std::uint64_t hash_key(const Value& key, int depth = hash_depth) {
  const auto kind = static_cast<std::uint64_t>(key.kind());
  if (depth == 0) return kind;
  switch (key.kind()) {
    case Kind::none: return kind;
    case Kind::boolean: return hash_number(key.as_bool(), key.kind());
    case Kind::integer:
      if (const auto number = key.as_int64()) return hash_number(*number, key.kind());
      return hash_text(key.integer_text());
    case Kind::floating: return hash_double(key.as_double());
    case Kind::complex:
      return hash_double(key.as_complex().real()) * 31 + hash_double(key.as_complex().imag());
    case Kind::string: return hash_text(key.as_string());
    case Kind::bytes:
    case Kind::tensor: {
      const Tensor tensor = key.tensor().contiguous();
      const auto bytes = tensor.bytes();
      return keyed_hash(bytes.data(), bytes.size(), kind);
    }
    case Kind::list:
    case Kind::tuple: {
      std::uint64_t hash = kind;
      for (const Value& item : key.items()) {
        const std::uint64_t part = hash_key(item, depth - 1);
        hash = keyed_hash(&part, sizeof part, hash);
      }
      return hash;
    }
    case Kind::set: {
      std::uint64_t hash = kind;  // A sum: sets compare without order.
      for (const Value& item : key.items()) hash += hash_key(item, depth - 1);
      return hash;
    }
    case Kind::dict:
    case Kind::structure: {
      std::uint64_t hash = key.type_name().empty() ? kind : hash_text(key.type_name());
      for (const Entry& entry : key.entries()) {
        const std::uint64_t parts[] = {hash_key(entry.key, depth - 1),
                                       hash_key(entry.value, depth - 1)};
        hash = keyed_hash(parts, sizeof parts, hash);
      }
      return hash;
    }
    case Kind::custom: return hash_key(key.payload(), depth - 1) * 31 + hash_text(key.type_name());
  }
  return kind;
}

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
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order.emplace_back(hash_key(items[i]), i);
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
std::size_t Dict::probe(std::uint64_t hash, const Equal& equal) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i].position != 0; i = (i + 1) & mask)
    if (slots_[i].hash == upper(hash) && equal(entries_[slots_[i].position - 1].key))
      return slots_[i].position - 1;
  return npos;
}

std::size_t Dict::find(const Value& key) const {
  if (key.kind() == Kind::string) return find(std::string_view(key.as_string()));
  const auto equal = [&](const Value& other) { return other == key; };
  if (!slots_.empty()) return is_hashable(key) ? probe(hash_key(key), equal) : npos;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (equal(entries_[i].key)) return i;
  return npos;
}

std::size_t Dict::find(std::string_view key) const noexcept {
  const auto equal = [&](const Value& other) {
    return other.kind() == Kind::string && other.as_string() == key;
  };
  if (!slots_.empty()) return probe(hash_text(key), equal);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (equal(entries_[i].key)) return i;
  return npos;
}

bool Dict::insert(Value& key, Value& value) {
  if (!is_hashable(key))
    throw Error(
        ErrorCode::invalid_argument, "a dict key cannot be of this kind",
        {.expected = "what Python can hash: no list, dict, set or tensor", .found = describe(key)});
  const std::size_t count = entries_.size() + 1;
  if (slots_.empty() && count <= scan_limit) {
    if (find(key) != npos) return false;
    entries_.push_back(Entry{std::move(key), std::move(value)});
    return true;
  }
  if (count == std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::limit_exceeded, "a dict has too many entries",
                {.expected = "less than 2^32"});
  if (count * 2 > slots_.size()) rebuild(std::bit_ceil(count * 4));
  const std::uint64_t hash = hash_key(key);
  if (probe(hash, [&](const Value& other) { return other == key; }) != npos) return false;
  entries_.push_back(Entry{std::move(key), std::move(value)});
  place(hash, count - 1);
  return true;
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
  for (std::size_t i = 0; i < entries_.size(); ++i) place(hash_key(entries_[i].key), i);
}

void Dict::place(std::uint64_t hash, std::size_t position) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].position != 0) i = (i + 1) & mask;
  slots_[i] = {upper(hash), static_cast<std::uint32_t>(position + 1)};
}

}  // namespace safestructures::detail
