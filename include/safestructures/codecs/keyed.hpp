/// \file
/// The base of codecs of sets and maps.
///
/// Python can hash None, bool, numbers, str, bytes and tuples of these. Keys and set items that are
/// lists or tensors become tuples. If another kind remains, or Python considers two of them equal,
/// such as True, 1 and 1.0, a map is saved as a list of (key, value) tuples and a set as a list. A
/// map may be columns: see columns.hpp.
///
/// If only the names of fields are known, as in a checkpoint or in JSON from other programs,
/// integers are text. So a map from integers also loads from a dict such as `{"0": ..., "2": ...}`.
/// In a checkpoint, consecutive numbers form a list, so such a map also loads from a list of
/// tensors, lists or dicts by its indices.
///
/// Your own sets and maps can be saved in the same way:
///
///     template <class K, class T> struct safestructures::Codec<FlatMap<K, T>>
///         : MapCodec<FlatMap<K, T>> {};
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/codecs/columns.hpp>
#include <safestructures/codecs/item_of.hpp>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/codecs/tuple.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// The order in which a set or map is saved. A container without an order of its own is sorted, so
/// that equal ones give equal bytes.
enum class Order : bool {
  keep,  ///< the order of the container
  sort,  ///< sorted by items or keys
};

namespace detail {

/// Returns a list or tensor as a tuple, with the tag of a variant; returns other values unchanged.
SAFESTRUCTURES_API Value to_key(Value value);

/// Returns the items as a set, or as a list if one of them cannot be in a set or equals another,
/// here or in Python.
SAFESTRUCTURES_API Value make_set(std::vector<Value> items, Order order);
/// Returns the items as a list.
SAFESTRUCTURES_API Value make_list(std::vector<Value> items, Order order);
/// Returns the entries as a dict, or as a list of pairs if a key cannot be one or equals another in
/// Python.
SAFESTRUCTURES_API Value make_dict(std::vector<Entry> entries, Order order);
/// Returns the entries as a list of pairs.
SAFESTRUCTURES_API Value make_pairs(std::vector<Entry> entries, Order order);

/// Converts a key to a step of a path. Valid as long as the key.
class SAFESTRUCTURES_API KeyStep {
 public:
  explicit KeyStep(const Value& key);
  operator std::string_view() const noexcept { return view_; }

 private:
  std::string text_;
  std::string_view view_;
};

/// The type of a map's keys, as far as it matters: names in JSON and checkpoints are texts.
enum class Keys : std::uint8_t {
  any,
  integers,  ///< Integers may be in the file as text, or as the indices of a list.
  floats,    ///< Numbers may be in the file as text.
  booleans,  ///< `true` and `false` may be in the file as text.
};

template <class Key>
consteval Keys keys_of() {
  if constexpr (std::same_as<Key, bool>) return Keys::booleans;
  else if constexpr (Integer<Key>) return Keys::integers;
  else if constexpr (std::floating_point<Key>) return Keys::floats;
  else return Keys::any;
}

/// The keys and values of a dict, a structure or a list of pairs.
class SAFESTRUCTURES_API Pairs {
 public:
  /// `value` must outlive this object. \throws Error `type_mismatch` for other kinds
  Pairs(const Value& value, Keys keys, const Decoder& decoder);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Value& key(std::size_t index) const;
  [[nodiscard]] const Value& value(std::size_t index) const;

 private:
  const Value& source_;
  bool is_mapping_;
  bool is_indexed_ = false;  // Whether the keys are positions in a list.
  std::size_t size_ = 0;
  std::vector<Value> spelled_;  // Replaces the value's own keys if these are text.
};

/// Whether a struct is the columns of a map, with the fields `first` and `second`.
[[nodiscard]] SAFESTRUCTURES_API bool is_columns_of_pairs(const Value& value);

/// Throws Error `duplicate_name`: two keys or items in the file are the same in the target.
[[noreturn]] SAFESTRUCTURES_API void duplicate(const Value& key, const Decoder& decoder);

/// Whether a map of these types can be columns.
template <class Key, class Mapped>
consteval bool has_columns() {
  if constexpr (std::is_arithmetic_v<Key> || std::is_enum_v<Key> || std::same_as<Key, std::string>)
    return Columnar<std::pair<Key, Mapped>>;
  else return false;
}

/// Returns the key or the mapped object of an entry as an encoder should receive it: as const to
/// borrow from, or as an rvalue if the map returns its entries by value and, by its declared type,
/// the entry does not just refer to it.
template <class Entry, class Declared, class Part>
decltype(auto) part_of(Part& part) {
  if constexpr (std::is_lvalue_reference_v<Entry> || std::is_lvalue_reference_v<Declared>)
    return std::as_const(part);
  else return std::move(part);
}

/// Inserts an item unless the container has an equal one, with the end as the hint if it takes one.
/// Returns false if it had one.
template <class Container, class... Parts>
bool insert_last(Container& container, Parts&&... parts) {
  const auto before = container.size();
  if constexpr (requires {
                  container.emplace_hint(container.end(), std::forward<Parts>(parts)...);
                })
    container.emplace_hint(container.end(), std::forward<Parts>(parts)...);
  else if constexpr (requires { container.emplace(std::forward<Parts>(parts)...); })
    container.emplace(std::forward<Parts>(parts)...);
  else container.insert(typename Container::value_type(std::forward<Parts>(parts)...));
  return container.size() != before;
}

}  // namespace detail

/// Codec of a container of unique items (or not unique, if it `repeats`): a set (or a list). It
/// needs `value_type`, `size`, a range of its items, a default constructor, and one of
/// `emplace_hint`, `emplace` and `insert`, which keeps the first of equal items.
template <class Set, Order order = Order::keep, bool repeats = false>
struct SetCodec {
  /// The type of the container's items.
  using Item = typename Set::value_type;
  /// The members of a codec: see codec.hpp. Loading throws Error `duplicate_name` for an item that
  /// the container already has.
  /// @{
  static constexpr KindSet kinds = repeats ? KindSet(Kind::list) : KindSet(Kind::set) | Kind::list;
  static void describe_type(TypeDescriber& type) {
    if constexpr (repeats) type.list<Item>();
    else type.set<Item>();
  }

  static Value encode(const Set& set, Encoder& encoder) {
    std::vector<Value> items;
    items.reserve(set.size());
    for (auto&& item : set) {
      Value value = encoder.encode_at(items.size(),
                                      detail::item_of<Item>(std::forward<decltype(item)>(item)));
      items.push_back(repeats ? std::move(value) : detail::to_key(std::move(value)));
    }
    return repeats ? detail::make_list(std::move(items), order)
                   : detail::make_set(std::move(items), order);
  }

  static Set decode(const Value& value, Decoder& decoder) {
    Items items(value, decoder);
    Set set;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!detail::insert_last(set, decoder.decode_at<Item>(i, items[i])))
        detail::duplicate(items[i], decoder);
    }
    return set;
  }
  /// @}
};

/// Codec of a container of keys and values, unique by key (or not, if it `repeats`): a dict (or a
/// list of tuples). It needs `key_type`, `mapped_type`, `value_type`, a range of pairs, and the
/// other members that `SetCodec` needs; keys are inserted in the order of the file.
template <class Map, Order order = Order::keep, bool repeats = false>
struct MapCodec {
  /// The type of the keys.
  using Key = typename Map::key_type;
  /// The type of the mapped objects.
  using Mapped = typename Map::mapped_type;
  /// The members of a codec: see codec.hpp. Loading throws Error `duplicate_name` for a key that
  /// the container already has.
  /// @{
  static constexpr KindSet kinds = repeats ? KindSet(Kind::list) : KindSet(Kind::dict) | Kind::list;
  static void describe_type(TypeDescriber& type) {
    if constexpr (repeats) type.list<std::pair<Key, Mapped>>();
    else type.dict<Key, Mapped>();
  }

  static Value encode(const Map& map, Encoder& encoder) {
    if constexpr (!repeats && detail::has_columns<Key, Mapped>())
      if ((detail::WantsColumns<Map> || encoder.columns()) &&
          !detail::is_overridden(detail::columns_of<Pair>(), encoder.registry()))
        return encode_columns(map, encoder);
    std::vector<Entry> entries;
    entries.reserve(map.size());
    for (auto&& entry : map) {
      auto&& [key, mapped] = entry;
      using Given = decltype(entry);
      Value key_value = detail::to_key(encoder.encode(detail::part_of<Given, decltype(key)>(key)));
      Value mapped_value = encoder.encode_at(detail::KeyStep(key_value),
                                             detail::part_of<Given, decltype(mapped)>(mapped));
      entries.push_back(Entry{std::move(key_value), std::move(mapped_value)});
    }
    return repeats ? detail::make_pairs(std::move(entries), order)
                   : detail::make_dict(std::move(entries), order);
  }

  static Map decode(const Value& value, Decoder& decoder) {
    if constexpr (!repeats && detail::has_columns<Key, Mapped>())
      if (detail::is_columns_of_pairs(value)) return decode_columns(value, decoder);
    const detail::Pairs pairs(value, repeats ? detail::Keys::any : detail::keys_of<Key>(), decoder);
    Map map;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const detail::KeyStep name(pairs.key(i));
      Key key = decoder.decode_at<Key>(name, pairs.key(i));
      if (!detail::insert_last(map, std::move(key),
                               decoder.decode_at<Mapped>(name, pairs.value(i))))
        detail::duplicate(pairs.key(i), decoder);
    }
    return map;
  }
  /// @}

 private:
  using Pair = std::pair<Key, Mapped>;

  static Value encode_columns(const Map& map, Encoder& encoder) {
    std::vector<Pair> pairs(map.begin(), map.end());
    if constexpr (order == Order::sort)
      std::ranges::sort(pairs, {}, [](const Pair& pair) -> const Key& { return pair.first; });
    Value value = detail::encode_columns(detail::columns_of<Pair>(),
                                         reinterpret_cast<const std::byte*>(pairs.data()),
                                         pairs.size(), sizeof(Pair), encoder);
    value.own();
    return value;
  }

  static Map decode_columns(const Value& value, Decoder& decoder) {
    Map map;
    for (Pair& pair : decoder.decode<std::vector<Pair>>(value)) {
      const Value key = encode_key(pair.first);
      if (!detail::insert_last(map, std::move(pair.first), std::move(pair.second)))
        detail::duplicate(key, decoder);
    }
    return map;
  }

  static Value encode_key(const Key& key) {
    Encoder encoder;
    return encoder.encode(key);
  }
};

}  // namespace safestructures::inline v0
