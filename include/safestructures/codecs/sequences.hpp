/// \file
/// The base of the codecs of sequences. Your own container with `push_back` becomes a list by
///
///     template <class T> struct safestructures::Codec<Ring<T>> : ListCodec<Ring<T>> {};
///
/// A container that grows in another way takes the items of a value from `Items`.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <safestructures/codecs/item_of.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// The items of anything that a sequence loads from: a list, tuple or set, a tensor along its first
/// dimension, or the structs that columns stand for.
class SAFESTRUCTURES_API Items {
 public:
  /// Both must outlive this object. \throws Error `type_mismatch` for other kinds
  Items(const Value& value, const Decoder& decoder);

  /// The number of items; for a tensor, the size of its first dimension.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Returns the item at `index`, which must be below `size()`. Valid until the next call.
  /// \throws Error with the path of a column that does not hold what it says: a text or truth value
  [[nodiscard]] const Value& operator[](std::size_t index);
  /// Checks the number of items.
  /// \throws Error `shape_mismatch` if there are not exactly `count`
  void expect_size(std::size_t count) const;

 private:
  const Value& value_;
  const Decoder& decoder_;
  std::size_t size_ = 0;
  Value part_;  // The current item of a tensor or of columns.
};

/// Codec of a container that grows at its end: a list. It needs `value_type`, a range of these in
/// its order, a default constructor and `push_back`; `size` and `reserve` are used if it has them.
/// Loads from a list, tuple, set or tensor.
template <class Container>
struct ListCodec {
  /// The type of the container's items.
  using Item = typename Container::value_type;
  /// The members of a codec: see codec.hpp.
  /// @{
  static constexpr KindSet kinds = Kind::list;
  static void describe_type(TypeDescriber& type) { type.list<Item>(); }

  static Value encode(const Container& container, Encoder& encoder) {
    std::vector<Value> items;
    if constexpr (requires { container.size(); }) items.reserve(container.size());
    std::size_t index = 0;
    for (auto&& item : container)
      items.push_back(
          encoder.encode_at(index++, detail::item_of<Item>(std::forward<decltype(item)>(item))));
    return Value::list(std::move(items));
  }

  static Container decode(const Value& value, Decoder& decoder) {
    Items items(value, decoder);
    Container container;
    if constexpr (requires { container.reserve(items.size()); }) container.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      container.push_back(decoder.decode_at<Item>(i, items[i]));
    return container;
  }
  /// @}
};

}  // namespace safestructures::inline v0
