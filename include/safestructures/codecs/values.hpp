/// \file
/// Codecs of types that are Values already: Value and Tensor.
#pragma once

#include <concepts>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// Returns the tensor of a value, or of the numbers in nested lists.
/// \throws Error `type_mismatch` for anything else
SAFESTRUCTURES_API Tensor decode_tensor(const Value& value, Decoder& decoder);

}  // namespace detail

/// A Value as it is. Its tensors are shared, not copied, except that loading converts those that
/// were stored in another dtype back to their own.
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

/// A tensor of any dtype and shape. A loaded tensor has the dtype it had before saving, shares the
/// bytes and keeps their owner alive, unless it was stored in another dtype. Nested lists of
/// numbers, as other programs write them, load as BOOL, I64 (U64 beyond), or F64 if one is no
/// integer.
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
