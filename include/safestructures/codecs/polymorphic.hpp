/// \file
/// Objects behind a pointer, whose type may only be known at run time.
///
/// An object of a polymorphic type is saved by the codec that is registered for its dynamic type,
/// as a custom value with that type's name, and loaded by that name:
///
///     registry.add<Circle, Shape>();               // Circle's Codec has a type_name
///     registry.add<Square, Shape>("acme.Square");  // Square's has none; Shape is the base of both
///
/// A name that is not registered is an Error, because loading it as an object of the base would
/// silently lose what the derived type adds. Only the base's own name needs no registry.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/registry.hpp>

namespace safestructures::inline v0::detail {

/// Returns the registered type of an object that is used as a `base`; null if the object is exactly
/// a `base` and that `has_codec`.
/// \throws Error `unknown_type` with the call that adds the type
SAFESTRUCTURES_API const Registry::Type* dynamic_type(const std::type_info& object,
                                                      const std::type_info& base, bool has_codec,
                                                      const Encoder& encoder);

/// The properties of the type that a pointer points to: which values its codec accepts.
struct Pointee {
  const std::type_info& type;
  bool has_codec = false;
  /// Whether it accepts a custom value of any name: no type is derived from it, or its codec
  /// declares custom values in its `kinds` and checks the name itself.
  bool takes_any_name = false;
  std::string_view name = {};                          ///< Its name in files.
  bool (*has_field)(std::string_view name) = nullptr;  ///< For a struct.
};

template <class T>
bool has_field_named(std::string_view name) {
  for (const auto& field : Codec<T>::layout.fields)
    if (!field.is_skipped && field.answers_to(name)) return true;
  return false;
}

template <class T>
Pointee pointee_of() {
  Pointee result{.type = typeid(T), .has_codec = Decodable<T>};
  if constexpr (Decodable<T>) {
    if constexpr (NamedCodec<T>) {
      result.name = Codec<T>::type_name;
    } else {
      result.takes_any_name = std::is_final_v<T>;
      if constexpr (SaysKinds<T>)
        result.takes_any_name = result.takes_any_name || Codec<T>::kinds.has(Kind::custom);
      if constexpr (requires { Codec<T>::layout.class_name; }) {
        result.name = Codec<T>::layout.class_name;
        result.has_field = &has_field_named<T>;
      }
    }
  }
  return result;
}

/// Returns the registered type that a value names; null if the value is for the codec of `base`.
/// \throws Error `unknown_type`, `type_mismatch`
SAFESTRUCTURES_API const Registry::Type* named_type(const Value& value, const Pointee& base,
                                                    const Decoder& decoder);

/// Converts the object of a registered type to a pointer to `base`.
/// \throws Error `unknown_type` if the type was added without that base
SAFESTRUCTURES_API void* to_base(const Registry::Type& type, void* object,
                                 const std::type_info& base, const Decoder& decoder);

template <class T>
Value encode_pointee(const T& object, Encoder& encoder) {
  if constexpr (std::is_polymorphic_v<T>) {
    if (const Registry::Type* type = dynamic_type(typeid(object), typeid(T), Encodable<T>, encoder))
      return encoder.encode_registered(*type, dynamic_cast<const void*>(std::addressof(object)));
  }
  if constexpr (Encodable<T> || !std::is_polymorphic_v<T>) return encoder.encode(object);
  else return {};  // Not reached: dynamic_type has thrown.
}

/// Returns a new T, or an object of a class derived from it.
template <class T>
std::unique_ptr<T> decode_unique(const Value& value, Decoder& decoder) {
  if constexpr (std::is_polymorphic_v<T>) {
    static_assert(std::has_virtual_destructor_v<T>,
                  "safestructures: std::unique_ptr needs a virtual destructor in a base class");
    if (const Registry::Type* type = named_type(value, pointee_of<T>(), decoder)) {
      const std::shared_ptr<void> object = decoder.decode_registered(*type, value);
      static_cast<void>(to_base(*type, object.get(), typeid(T), decoder));
      return std::unique_ptr<T>(
          static_cast<T*>(to_base(*type, type->move_to_heap(object.get()), typeid(T), decoder)));
    }
  }
  if constexpr (Decodable<T> || !std::is_polymorphic_v<T>)
    return std::unique_ptr<T>(new T(decoder.decode<T>(value)));
  else return nullptr;  // Not reached: named_type has thrown.
}

/// Returns an object that pointers may share. \param shared the value that identifies the object
template <class T>
std::shared_ptr<T> decode_pointee(const Value& shared, const Value& value, Decoder& decoder) {
  if constexpr (std::is_polymorphic_v<T>) {
    if (const Registry::Type* type = named_type(value, pointee_of<T>(), decoder)) {
      // Keyed by its dynamic type, so that pointers to different bases share it.
      const std::shared_ptr<void> object = decoder.decode_shared(
          shared, type->type, [&] { return decoder.decode_registered(*type, value); });
      return std::shared_ptr<T>(object,
                                static_cast<T*>(to_base(*type, object.get(), typeid(T), decoder)));
    }
  }
  if constexpr (Decodable<T> || !std::is_polymorphic_v<T>)
    return decoder.decode_shared<T>(shared,
                                    [&] { return std::make_shared<T>(decoder.decode<T>(value)); });
  else return nullptr;  // Not reached: named_type has thrown.
}

}  // namespace safestructures::inline v0::detail
