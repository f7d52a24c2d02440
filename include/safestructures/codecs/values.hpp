/// \file
/// Codecs of what is a Value already: Value and Tensor themselves.
#pragma once

#include <concepts>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// \throws Error `type_mismatch` for anything but a tensor.
SAFESTRUCTURES_API Tensor decode_tensor(const Value& value, Decoder& decoder);

}  // namespace detail

/// As it is; tensors are shared, not copied, but for those that are stored in another dtype than
/// their own: these are loaded in their own.
template <class T>
  requires std::same_as<T, Value>
struct Codec<T> {
  static void describe_type(TypeDescriber& type) { type.any(); }
  static Value encode(const T& value, Encoder&) { return value; }
  static T decode(const Value& value, Decoder& decoder) {
    T copy = value;
    decoder.restore(copy);
    return copy;
  }
};

/// A tensor of any dtype and shape. What is loaded has the dtype that was saved. It shares the
/// bytes and keeps their owner alive, unless they are stored in another dtype.
template <class T>
  requires std::same_as<T, Tensor>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) { type.tensor(); }
  static Value encode(const T& tensor, Encoder&) { return Value(tensor); }
  static T decode(const Value& value, Decoder& decoder) {
    return detail::decode_tensor(value, decoder);
  }
};

}  // namespace safestructures::inline v0
