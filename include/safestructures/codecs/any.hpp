/// \file
/// Codec of std::any: registered types, and those that a Value can hold.
#pragma once

#include <any>
#include <concepts>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

SAFESTRUCTURES_API Value encode_any(const std::any& any, Encoder& encoder);
SAFESTRUCTURES_API std::any decode_any(const Value& value, Decoder& decoder);

}  // namespace detail

/// An empty std::any is None. An object of a registered type is a custom value with its name. Types
/// that need no registry: bool, std::int64_t, double, std::complex<double>, std::string and Tensor
/// are the Value of that kind, and Value is used for everything else. Other types are an Error
/// `unknown_type`.
template <class T>
  requires std::same_as<T, std::any>
struct Codec<T> {
  static constexpr bool nullable = true;
  static void describe_type(TypeDescriber& type) { type.any(); }
  static Value encode(const T& any, Encoder& encoder) { return detail::encode_any(any, encoder); }
  static T decode(const Value& value, Decoder& decoder) {
    return detail::decode_any(value, decoder);
  }
};

}  // namespace safestructures::inline v0
