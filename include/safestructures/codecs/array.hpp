/// \file
/// Codecs of std::array and, for saving, of C arrays; like those of std::vector with a fixed size.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/codecs/strings.hpp>
#include <safestructures/data/codec.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// Returns the items of a sequence of exactly N, constructed in place.
template <class T, std::size_t N>
std::array<T, N> decode_array(const Value& value, Decoder& decoder) {
  Items items(value, decoder);
  items.expect_size(N);
  if constexpr (std::is_default_constructible_v<T> && std::is_move_assignable_v<T>) {
    std::array<T, N> result{};
    for (std::size_t i = 0; i < N; ++i) result[i] = decoder.decode_at<T>(i, items[i]);
    return result;
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<T, N>{decoder.decode_at<T>(I, items[I])...};
    }(std::make_index_sequence<N>{});
  }
}

template <class T>
Value encode_list(std::span<const T> values, Encoder& encoder) {
  std::vector<Value> items;
  items.reserve(values.size());
  for (const T& item : values) items.push_back(encoder.encode_at(items.size(), item));
  return Value::list(std::move(items));
}

}  // namespace detail

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static constexpr KindSet kinds = Kind::list;
  static void describe_type(TypeDescriber& type) { type.list<T>(N); }
  static Value encode(const std::array<T, N>& array, Encoder& encoder) {
    return detail::encode_list(std::span<const T>(array), encoder);
  }
  static std::array<T, N> decode(const Value& value, Decoder& decoder) {
    return detail::decode_array<T, N>(value, decoder);
  }
};

/// Nested arrays of numbers are one tensor. Loads from a tensor with those dimensions or from
/// lists.
template <class T, std::size_t N>
  requires Block<T>
struct Codec<std::array<T, N>> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) { detail::describe_blocks<T>(type, N); }
  static Value encode(const std::array<T, N>& array, Encoder&) {
    return detail::encode_blocks(array.data(), N);
  }
  static std::array<T, N> decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) return detail::decode_array<T, N>(value, decoder);
    static constexpr auto dims = detail::prepend_dim<T, N>();
    std::array<T, N> result;
    detail::decode_block(value, decoder, BlockLayout<T>::dtype, dims,
                         std::as_writable_bytes(std::span(result)));
    return result;
  }
};

template <detail::ByteLike T, std::size_t N>
struct Codec<std::array<T, N>> {
  static constexpr KindSet kinds = Kind::bytes;
  static void describe_type(TypeDescriber& type) { type.bytes(N); }
  static Value encode(const std::array<T, N>& array, Encoder&) {
    return detail::encode_bytes(array.data(), N);
  }
  static std::array<T, N> decode(const Value& value, Decoder& decoder) {
    Tensor scratch;
    const std::span<const std::byte> bytes = detail::decode_bytes(value, decoder, scratch);
    detail::expect_byte_count(bytes.size(), N, decoder);
    std::array<T, N> result;
    if constexpr (N > 0) std::memcpy(result.data(), bytes.data(), N);
    return result;
  }
};

template <detail::CharLike T, std::size_t N>
struct Codec<std::array<T, N>> {
  static constexpr KindSet kinds = detail::char_kinds;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const std::array<T, N>& array, Encoder&) {
    return detail::encode_char_array({array.data(), N});
  }
  static std::array<T, N> decode(const Value& value, Decoder& decoder) {
    std::array<T, N> result{};
    detail::decode_char_array(value, decoder, result);
    return result;
  }
};

/// For saving only: a function cannot return a C array. As a struct's field it loads as a
/// std::array.
template <class T, std::size_t N>
  requires(!std::same_as<T, char>)
struct Codec<T[N]> {
  static constexpr KindSet kinds = Block<T>              ? Kind::tensor
                                   : detail::ByteLike<T> ? Kind::bytes
                                                         : Kind::list;
  static void describe_type(TypeDescriber& type) { type.same_as<std::array<T, N>>(); }
  static Value encode(const T (&array)[N], Encoder& encoder) {
    static_cast<void>(encoder);
    if constexpr (Block<T>) return detail::encode_blocks(array, N);
    else if constexpr (detail::ByteLike<T>) return detail::encode_bytes(array, N);
    else return detail::encode_list(std::span<const T>(array), encoder);
  }
};

}  // namespace safestructures::inline v0
