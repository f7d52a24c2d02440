/// \file
/// Types that are found at run time, by their name in a file or by `typeid`.
#pragma once

#include <any>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

class Value;
class Encoder;
class Decoder;
template <class T>
struct Codec;

/// A set of types and their codecs, for what is only known at run time or from the file: objects
/// behind base pointers, `std::any`, and overridden codecs.
///
/// There is no global registry: pass one in the options. A name in a file selects a codec that was
/// added here; it never loads code. A registry may be read by several threads at once.
class SAFESTRUCTURES_API Registry {
 public:
  /// A registered type, as codecs of holders use it: they look it up with `find` and pass it to
  /// `Encoder::encode_registered` or `Decoder::decode_registered`. Its functions work on
  /// type-erased objects.
  struct Type {
    std::string name;      ///< The type name in files.
    std::type_index type;  ///< The C++ type.
    bool overrides;        ///< Whether it is used instead of `Codec<T>` wherever the type occurs.
    std::function<Value(const void* object, Encoder&)> encode;  ///< Returns the payload.
    /// Makes the object from the payload.
    std::function<std::shared_ptr<void>(const Value& payload, Decoder&)> decode;
    /// For each base class it was added with, a function that casts a pointer to the object.
    std::vector<std::pair<std::type_index, void* (*)(void*)>> bases;
    /// Moves the object into a new one made by `new`, for owners other than `std::shared_ptr`.
    void* (*move_to_heap)(void* object);
    /// Returns the object in a `std::any`; null if the type cannot be copied, since `std::any`
    /// cannot hold it.
    const void* (*in_any)(const std::any& holder);
    /// Moves the object into a `std::any`; null in the same case as `in_any`.
    std::any (*move_to_any)(void* object);
  };

  /// Adds a type under its `Codec<T>::type_name`, for use through `std::any` and pointers to each
  /// of `Bases`.
  /// \throws Error `duplicate_name` if the name or the type was added before
  template <class T, class... Bases>
  Registry& add() {
    constexpr bool has_name = requires { Codec<T>::type_name; };
    static_assert(has_name,
                  "safestructures: the codec of this type has no type_name: give the name in files "
                  "as in registry.add<T, Bases...>(\"acme.Circle\")");
    if constexpr (has_name) return add<T, Bases...>(std::string(Codec<T>::type_name));
    else return *this;
  }

  /// Adds a type under the given name, for plain structs and other types whose codec has no
  /// `type_name`. In a `std::any` and behind a pointer to one of `Bases` it is saved as a custom
  /// value of that name; elsewhere it is saved as usual.
  /// \throws Error `duplicate_name`
  template <class T, class... Bases>
  Registry& add(std::string name) {
    return add_with<T, Bases...>(
        std::move(name), Overrides::nothing,
        [](const T& object, Encoder& encoder) { return Codec<T>::encode(object, encoder); },
        [](const Value& payload, Decoder& decoder) { return Codec<T>::decode(payload, decoder); });
  }

  /// Adds a type with the given codec functions instead of a `Codec<T>`. This also works for a type
  /// that the library already supports, which is then saved as a custom value of that name.
  /// \throws Error `duplicate_name`
  template <class T, class... Bases>
  Registry& add(std::string name, std::function<Value(const T&, Encoder&)> encode,
                std::function<T(const Value&, Decoder&)> decode) {
    return add_with<T, Bases...>(std::move(name), Overrides::codec, std::move(encode),
                                 std::move(decode));
  }

  /// Returns the type with that name in files, or null.
  [[nodiscard]] const Type* find(std::string_view name) const noexcept;
  /// Returns what was added for that C++ type, or null.
  [[nodiscard]] const Type* find(const std::type_info& type) const noexcept;

 private:
  enum class Overrides : bool { nothing, codec };

  template <class T, class... Bases, class Encode, class Decode>
  Registry& add_with(std::string name, Overrides overrides, Encode encode, Decode decode) {
    static_assert((std::derived_from<T, Bases> && ...), "each of Bases must be a base class of T");
    Type type{std::move(name),
              typeid(T),
              overrides == Overrides::codec,
              [from = std::move(encode)](const void* object, Encoder& encoder) {
                return from(*static_cast<const T*>(object), encoder);
              },
              [to = std::move(decode)](const Value& payload, Decoder& decoder) {
                return std::shared_ptr<void>(std::make_shared<T>(to(payload, decoder)));
              },
              {},
              [](void* object) -> void* { return new T(std::move(*static_cast<T*>(object))); },
              nullptr,
              nullptr};
    if constexpr (std::copy_constructible<T>) {
      type.in_any = [](const std::any& holder) -> const void* { return std::any_cast<T>(&holder); };
      type.move_to_any = [](void* object) { return std::any(std::move(*static_cast<T*>(object))); };
    }
    (type.bases.emplace_back(
         typeid(Bases),
         [](void* object) -> void* { return static_cast<Bases*>(static_cast<T*>(object)); }),
     ...);
    insert(std::move(type));
    return *this;
  }
  void insert(Type type);

  std::map<std::string, std::shared_ptr<const Type>, std::less<>> by_name_;
  std::unordered_map<std::type_index, std::shared_ptr<const Type>> by_type_;
};

}  // namespace safestructures::inline v0
