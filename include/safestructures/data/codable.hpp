/// \file
/// Concepts for types with a codec: those that can be saved, and those that can be loaded.
#pragma once

#include <concepts>

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

class Encoder;
class Decoder;

/// Codec for T; see codec.hpp. The primary template is not defined.
template <class T>
struct Codec;

/// A type that can be saved: it has a codec with `encode`.
template <class T>
concept Encodable = requires(const T& object, Encoder& encoder) {
  { Codec<T>::encode(object, encoder) } -> std::convertible_to<Value>;
};

/// A type that can be loaded: it has a codec with `decode`.
template <class T>
concept Decodable = requires(const Value& value, Decoder& decoder) {
  { Codec<T>::decode(value, decoder) } -> std::convertible_to<T>;
};

namespace detail {

/// For a static_assert that must fail only if it is instantiated.
template <class T>
inline constexpr bool always_false = false;

}  // namespace detail
}  // namespace safestructures::inline v0
