/// \file
/// What the codecs of sets and maps share.
///
/// Python hashes None, bool, numbers, str, bytes and tuples of these. Keys and set items that are
/// lists or tensors here become tuples; where another kind remains, a map is a list of (key, value)
/// tuples and a set a list, so that it can be saved as well.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/codecs/kinds.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/data/codec.hpp>

namespace safestructures::detail {

/// Lists and tensors as tuples, other values as they are.
SAFESTRUCTURES_API Value to_key(Value value);

/// A container without an order of its own is sorted, so that equal ones give equal bytes.
enum class Order : bool { keep, sort };

/// The items as a set, or as a list where one of them cannot be in a set.
SAFESTRUCTURES_API Value make_set(std::vector<Value> items, Order order);
/// The items as a list.
SAFESTRUCTURES_API Value make_list(std::vector<Value> items, Order order);
/// The entries as a dict, or as a list of pairs where a key cannot be one.
SAFESTRUCTURES_API Value make_dict(std::vector<Entry> entries, Order order);
/// The entries as a list of pairs.
SAFESTRUCTURES_API Value make_pairs(std::vector<Entry> entries, Order order);

/// A key as a step of a path. Valid as long as the key.
class SAFESTRUCTURES_API KeyStep {
 public:
  explicit KeyStep(const Value& key);
  operator std::string_view() const noexcept { return view_; }

 private:
  std::string text_;
  std::string_view view_;
};

/// The keys and values of a dict, a structure or a list of pairs.
class SAFESTRUCTURES_API Pairs {
 public:
  /// `value` must outlive this. \throws Error `type_mismatch` for other kinds.
  Pairs(const Value& value, const Decoder& decoder);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Value& key(std::size_t index) const;
  [[nodiscard]] const Value& value(std::size_t index) const;

 private:
  const Value& source_;
  bool is_mapping_;
  std::size_t size_ = 0;
};

/// Throws Error `duplicate_name`: two keys or items in the file are the same in the target.
[[noreturn]] SAFESTRUCTURES_API void duplicate(const Value& key, const Decoder& decoder);

template <class Set, Order order, bool repeats>
struct SetCodec {
  using Item = typename Set::value_type;
  static constexpr KindSet kinds = repeats ? KindSet(Kind::list) : KindSet(Kind::set) | Kind::list;

  static Value encode(const Set& set, Encoder& encoder) {
    std::vector<Value> items;
    items.reserve(set.size());
    for (const Item& item : set) {
      Value value = encoder.encode_at(items.size(), item);
      items.push_back(repeats ? std::move(value) : to_key(std::move(value)));
    }
    return repeats ? make_list(std::move(items), order) : make_set(std::move(items), order);
  }

  static Set decode(const Value& value, Decoder& decoder) {
    Items items(value, decoder);
    Set set;
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item item = decoder.decode_at<Item>(i, items[i]);
      const std::size_t before = set.size();
      set.insert(set.end(), std::move(item));
      if (set.size() == before) duplicate(items[i], decoder);
    }
    return set;
  }
};

template <class Map, Order order, bool repeats>
struct MapCodec {
  using Key = typename Map::key_type;
  using Mapped = typename Map::mapped_type;
  static constexpr KindSet kinds = repeats ? KindSet(Kind::list) : KindSet(Kind::dict) | Kind::list;

  static Value encode(const Map& map, Encoder& encoder) {
    std::vector<Entry> entries;
    entries.reserve(map.size());
    for (const auto& [key, mapped] : map) {
      Value key_value = to_key(encoder.encode(key));
      Value mapped_value = encoder.encode_at(KeyStep(key_value), mapped);
      entries.push_back(Entry{std::move(key_value), std::move(mapped_value)});
    }
    return repeats ? make_pairs(std::move(entries), order) : make_dict(std::move(entries), order);
  }

  static Map decode(const Value& value, Decoder& decoder) {
    const Pairs pairs(value, decoder);
    Map map;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const KeyStep name(pairs.key(i));
      Key key = decoder.decode_at<Key>(name, pairs.key(i));
      const std::size_t before = map.size();
      map.emplace_hint(map.end(), std::move(key), decoder.decode_at<Mapped>(name, pairs.value(i)));
      if (map.size() == before) duplicate(pairs.key(i), decoder);
    }
    return map;
  }
};

}  // namespace safestructures::detail
