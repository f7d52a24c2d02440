/// \file
/// Codecs of smart pointers: None if null, otherwise the object; see polymorphic.hpp for bases.
#pragma once

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <safestructures/codecs/holders.hpp>
#include <safestructures/codecs/polymorphic.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// Returns true, or fails to compile. For a static_assert, whose message then comes before others.
template <class T>
consteval bool is_defined() {
  constexpr bool has_size = requires { sizeof(T); };
  static_assert(has_size,
                "safestructures: what this pointer points to is declared here, but not defined: "
                "include the header that defines it.");
  return true;
}

/// Returns the kinds that the codec of a pointer to T makes.
template <class T>
consteval KindSet pointer_kinds() {
  static_assert(is_defined<T>());
  if constexpr (std::is_polymorphic_v<T>) return held_kinds<T>() | Kind::custom;
  else return held_kinds<T>();
}

template <class T>
Value mark_pointee(Value value) {
  if constexpr (Nullable<T>) return mark_held(std::move(value));
  else return value;
}

}  // namespace detail

template <class T>
  requires(!std::is_array_v<T>)
struct Codec<std::unique_ptr<T>> {
  using Object = std::remove_cv_t<T>;
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = detail::pointer_kinds<Object>();
  static void describe_type(TypeDescriber& type) { type.pointer<Object>(); }

  static Value encode(const std::unique_ptr<T>& pointer, Encoder& encoder) {
    if (!pointer) return {};
    return detail::mark_pointee<Object>(
        detail::encode_pointee(static_cast<const Object&>(*pointer), encoder));
  }
  static std::unique_ptr<T> decode(const Value& value, Decoder& decoder) {
    if (value.is_none()) return nullptr;
    return detail::decode_unique<Object>(Nullable<Object> ? unmark_held(value) : value, decoder);
  }
};

/// An object that several pointers share is encoded once. If it holds tensors, they are stored
/// once, and loading makes one object again, even if the pointers are to different bases of it.
/// Objects without tensors are loaded as copies. A pointer back to an object that is still being
/// saved is an Error `cycle`.
template <class T>
  requires(!std::is_array_v<T>)
struct Codec<std::shared_ptr<T>> {
  using Object = std::remove_cv_t<T>;
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = detail::pointer_kinds<Object>();
  static void describe_type(TypeDescriber& type) { type.shared_pointer<Object>(); }

  static Value encode(const std::shared_ptr<T>& pointer, Encoder& encoder) {
    static_assert(detail::is_defined<Object>());
    if (!pointer) return {};
    const Object& object = *pointer;
    // The whole object's address and type, so that pointers to different bases are known to share
    // it.
    const void* address = nullptr;
    if constexpr (std::is_polymorphic_v<T>)
      address = dynamic_cast<const void*>(std::addressof(object));
    else address = std::addressof(object);
    return encoder.encode_shared(address, typeid(object), [&] {
      encoder.keep(pointer);
      return detail::mark_pointee<Object>(detail::encode_pointee(object, encoder));
    });
  }
  static std::shared_ptr<T> decode(const Value& value, Decoder& decoder) {
    if (value.is_none()) return nullptr;
    return detail::decode_pointee<Object>(value, Nullable<Object> ? unmark_held(value) : value,
                                          decoder);
  }
};

/// Saved as None, and empty when loaded: it owns nothing, and saving its object would close the
/// cycles that it exists to break.
template <class T>
struct Codec<std::weak_ptr<T>> {
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = Kind::none;
  static void describe_type(TypeDescriber& type) { type.none(); }
  static Value encode(const std::weak_ptr<T>&, Encoder&) { return {}; }
  static std::weak_ptr<T> decode(const Value& value, Decoder& decoder) {
    if (!value.is_none()) decoder.mismatch("None, which stands for a std::weak_ptr", value);
    return {};
  }
};

}  // namespace safestructures::inline v0
