/// \file
/// Codecs: how a C++ type becomes a Value and comes back.
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
/// `decode` gets the payload back; Python plugins read the same name. Without one, the Value stands
/// as it is. A full specialisation by the user wins over the library's own, which are all partial,
/// so any builtin type's codec can be overridden.
///
/// All that a codec may have; a codec needs `encode` or `decode` only:
///
/// - `static Value encode(const T&, Encoder&)`: T can be saved.
/// - `static T decode(const Value&, Decoder&)`: T can be loaded.
/// - `static constexpr std::string_view type_name`: it is a custom value of that name.
/// - `static constexpr KindSet kinds`: the kinds of Value that `encode` makes, by which a
///   std::variant tells its alternatives apart (kind_set.hpp).
/// - `static constexpr bool nullable = true`: T has an empty state that is saved as None, which a
///   holder of a T keeps apart from having none (holders.hpp).
/// - `static void describe_type(TypeDescriber&)`: what T is, without an object
///   (type_describer.hpp).
///
/// Codecs nest by `encoder.encode_at`, `decoder.decode_at`: one step further down the path, so that
/// errors name their place and the depth is limited. What many types share is a base to derive the
/// codec from: `HolderCodec` (holders.hpp), `ListCodec` and `Items` (sequences.hpp), `SetCodec` and
/// `MapCodec` (keyed.hpp), `TensorCodec` (tensor_like.hpp); for number types `BlockLayout`
/// (numbers.hpp). All of them are in codecs/. Nothing in namespace `detail` is for users.
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
