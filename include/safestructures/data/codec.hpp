/// \file
/// Codecs: how a C++ type becomes a Value and back.
///
/// `Codec<T>` is the only extension point. The library specialises it for the types in codecs/;
/// users specialise it for theirs:
///
///     template <> struct safestructures::Codec<Quaternion> {
///       static constexpr std::string_view type_name = "acme.Quaternion";
///       static Value encode(const Quaternion& q, Encoder& encoder);
///       static Quaternion decode(const Value& value, Decoder& decoder);
///     };
///
/// With a `type_name`, the encoded Value becomes the payload of a custom value of that name, and
/// `decode` receives the payload; Python plugins use the same name. Without one, the Value is used
/// as it is. A full specialisation by the user takes precedence over the library's own, which are
/// all partial, so the codec of any built-in type can be overridden.
///
/// A codec may have these members, of which it needs only `encode` or `decode`:
///
/// - `static Value encode(const T&, Encoder&)`: T can be saved.
/// - `static T decode(const Value&, Decoder&)`: T can be loaded.
/// - `static constexpr std::string_view type_name`: T is saved as a custom value of that name.
/// - `static constexpr KindSet kinds`: the kinds of Value that `encode` makes, by which a
///   std::variant tells its alternatives apart (kind_set.hpp).
/// - `static constexpr bool nullable = true`: T has an empty state that is saved as None, which a
///   holder of a T distinguishes from holding nothing (holders.hpp).
/// - `static void describe_type(TypeDescriber&)`: describes T without an object
///   (type_describer.hpp).
///
/// Codecs nest by calling `encoder.encode_at` and `decoder.decode_at`, which go one step down the
/// path, so that errors name their place and the depth is limited. Base classes provide what many
/// types share: `HolderCodec` (holders.hpp), `ListCodec` and `Items` (sequences.hpp), `SetCodec`
/// and `MapCodec` (keyed.hpp), `TensorCodec` (tensor_like.hpp); for number types specialise
/// `BlockLayout` (numbers.hpp). All of them are in codecs/. Nothing in namespace `detail` is for
/// users.
#pragma once

#include <type_traits>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/codable.hpp>
#include <safestructures/data/decoder.hpp>
#include <safestructures/data/encoder.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

template <class T>
Value Value::from(T&& object, const EncodeOptions& options) {
  Encoder encoder(options);
  try {
    if constexpr (std::is_lvalue_reference_v<T>) return encoder.encode(std::as_const(object));
    else return encoder.encode(std::forward<T>(object));
  } catch (...) {
    encoder.rethrow();
  }
}
template <class T>
Value Value::from(T&& object) {
  return from(std::forward<T>(object), EncodeOptions{});
}
template <class T>
T Value::as(const DecodeOptions& options) const {
  Decoder decoder(options);
  try {
    return decoder.decode<T>(*this);
  } catch (...) {
    decoder.rethrow();
  }
}
template <class T>
T Value::as() const {
  return as<T>(DecodeOptions{});
}

}  // namespace safestructures::inline v0
