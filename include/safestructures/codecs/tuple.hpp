/// \file
/// Codecs of std::tuple and std::pair: a tuple. Also loads from a list.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <safestructures/codecs/sequences.hpp>
#include <safestructures/data/codec.hpp>

namespace safestructures::inline v0 {

template <class... Ts>
struct Codec<std::tuple<Ts...>> {
  static constexpr KindSet kinds = Kind::tuple;
  static void describe_type(TypeDescriber& type) { type.tuple<Ts...>(); }

  static Value encode(const std::tuple<Ts...>& tuple, Encoder& encoder) {
    std::vector<Value> items;
    items.reserve(sizeof...(Ts));
    // If a T is a reference, the item is not const.
    std::apply(
        [&](const Ts&... item) {
          (items.push_back(encoder.encode_at(items.size(), std::as_const(item))), ...);
        },
        tuple);
    return Value::tuple(std::move(items));
  }

  static std::tuple<Ts...> decode(const Value& value, Decoder& decoder) {
    Items items(value, decoder);
    items.expect_size(sizeof...(Ts));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      // Braces guarantee the order of evaluation.
      return std::tuple<Ts...>{decoder.decode_at<Ts>(I, items[I])...};
    }(std::index_sequence_for<Ts...>{});
  }
};

template <class First, class Second>
struct Codec<std::pair<First, Second>> {
  static constexpr KindSet kinds = Kind::tuple;
  static void describe_type(TypeDescriber& type) { type.tuple<First, Second>(); }

  static Value encode(const std::pair<First, Second>& pair, Encoder& encoder) {
    std::vector<Value> items;
    items.reserve(2);
    items.push_back(encoder.encode_at(std::size_t{0}, std::as_const(pair.first)));
    items.push_back(encoder.encode_at(std::size_t{1}, std::as_const(pair.second)));
    return Value::tuple(std::move(items));
  }

  static std::pair<First, Second> decode(const Value& value, Decoder& decoder) {
    // The pair is an item of columns.
    const Value* const first = value.find("first");
    const Value* const second = value.find("second");
    if (first != nullptr && second != nullptr)
      return std::pair<First, Second>{decoder.decode_at<First>("first", *first),
                                      decoder.decode_at<Second>("second", *second)};
    Items items(value, decoder);
    items.expect_size(2);
    return std::pair<First, Second>{decoder.decode_at<First>(std::size_t{0}, items[0]),
                                    decoder.decode_at<Second>(std::size_t{1}, items[1])};
  }
};

}  // namespace safestructures::inline v0
