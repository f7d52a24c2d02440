/// \file
/// The base of codecs of holders: types that hold one object or nothing, like std::optional.
///
/// Your own holder can use it if it can be tested, dereferenced, made empty and made from its
/// object:
///
///     template <class T> struct safestructures::Codec<Maybe<T>> : HolderCodec<Maybe<T>, T> {};
///
/// A holder that works differently declares itself `nullable`, saves its empty state as None, and
/// passes its object through `encode_held` and `decode_held`.
#pragma once

#include <type_traits>
#include <utility>

#include <safestructures/codecs/item_of.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// Distinguishes a held value that may itself be None from an empty holder: a None, or a tuple of
/// one item, is put into a tuple of one; other values stay as they are.
SAFESTRUCTURES_API Value mark_held(Value value);
/// Returns the value that `mark_held` was given. Valid as long as `value`.
SAFESTRUCTURES_API const Value& unmark_held(const Value& value);

/// Returns the kinds that a holder of a T makes.
template <class T>
consteval KindSet held_kinds() {
  if constexpr (Nullable<T>) return kinds_of<T>() | Kind::none | Kind::tuple;
  else return kinds_of<T>() | Kind::none;
}

/// Returns the Value of a held object, which is never mistaken for an empty holder.
template <class T>
[[nodiscard]] Value encode_held(const T& object, Encoder& encoder) {
  if constexpr (Nullable<T>) return mark_held(encoder.encode(object));
  else return encoder.encode(object);
}
/// The same for a temporary or a non-const variable: see `Encoder::encode`.
/// @{
template <class T>
  requires(!std::is_reference_v<T>)
[[nodiscard]] Value encode_held(T&& object, Encoder& encoder) {
  Value value = encode_held(std::as_const(object), encoder);
  value.own();
  return value;
}
template <class T>
  requires(!std::is_const_v<T>)
[[nodiscard]] Value encode_held(T& object, Encoder& encoder) {
  return encode_held(std::move(object), encoder);
}
/// @}

/// Returns the object that a holder held; `value` must not be None.
template <class T>
[[nodiscard]] T decode_held(const Value& value, Decoder& decoder) {
  if constexpr (Nullable<T>) return decoder.decode<T>(unmark_held(value));
  else return decoder.decode<T>(value);
}

/// Codec of a Holder of at most one T: None, or the T.
template <class Holder, class T>
struct HolderCodec {
  /// The members of a codec: see codec.hpp.
  /// @{
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = held_kinds<T>();
  static void describe_type(TypeDescriber& type) { type.optional<T>(); }

  static Value encode(const Holder& holder, Encoder& encoder) {
    if (!holder) return {};
    return encode_held(detail::item_of<T>(*holder), encoder);
  }
  static Holder decode(const Value& value, Decoder& decoder) {
    if (value.is_none()) return Holder();
    return Holder(decode_held<T>(value, decoder));
  }
  /// @}
};

}  // namespace safestructures::inline v0
