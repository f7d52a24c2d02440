/// \file
/// Types that are found at run time, by the name in a file or by `typeid`.
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

/// A set of types with their codecs, for what only the running program or the file can tell:
/// objects behind base pointers, `std::any`, and overridden codecs.
///
/// There is no global registry: pass one in the options. A name in a file selects a codec that was
/// added here; it never loads code. Reading one registry from many threads is safe.
class SAFESTRUCTURES_API Registry {
 public:
  /// A type that was added, as codecs of holders use it: they `find` it, and hand it to
  /// `Encoder::encode_registered` and `Decoder::decode_registered`. Its functions take and give the
  /// object without its type.
  struct Type {
    std::string name;      ///< The type name in files.
    std::type_index type;  ///< The C++ type.
    bool overrides;        ///< Used instead of `Codec<T>` wherever the type occurs.
    std::function<Value(const void* object, Encoder&)> encode;  ///< Gives the payload.
    /// Makes the object from the payload.
    std::function<std::shared_ptr<void>(const Value& payload, Decoder&)> decode;
    /// A pointer to the object as a pointer to a base class, for each base it was added with.
    std::vector<std::pair<std::type_index, void* (*)(void*)>> bases;
    /// Moves the object into one made by `new`, for owners other than `std::shared_ptr`.
    void* (*move_to_heap)(void* object);
    /// The object in a `std::any`; a null function for a type that cannot be copied, which
    /// `std::any` cannot hold.
    const void* (*in_any)(const std::any& holder);
    /// A `std::any` that the object is moved into; a null function as `in_any`.
    std::any (*move_to_any)(void* object);
  };

  /// Adds a type by its `Codec<T>::type_name`, usable through `std::any` and through pointers to
  /// each of `Bases`.
  /// \throws Error `duplicate_name` when the name or the type is there already.
  template <class T, class... Bases>
  Registry& add() {
    constexpr bool has_name = requires { Codec<T>::type_name; };
    static_assert(has_name,
                  "safestructures: the codec of this type has no type_name: give the name in files "
                  "as in registry.add<T, Bases...>(\"acme.Circle\")");
    if constexpr (has_name) return add<T, Bases...>(std::string(Codec<T>::type_name));
    else return *this;
  }

  /// Adds a type by a name given here, for plain structs and others whose codec has no `type_name`:
  /// in a `std::any` and behind a pointer to one of `Bases` it is a custom value of that name;
  /// elsewhere it is saved as ever.
  /// \throws Error `duplicate_name`
  template <class T, class... Bases>
  Registry& add(std::string name) {
    return add_with<T, Bases...>(
        std::move(name), false,
        [](const T& object, Encoder& encoder) { return Codec<T>::encode(object, encoder); },
        [](const Value& payload, Decoder& decoder) { return Codec<T>::decode(payload, decoder); });
  }

  /// Adds a type with codec functions given here, instead of a `Codec<T>`: also for a type that the
  /// library knows already, which is then saved as a custom value of that name.
  /// \throws Error `duplicate_name`
  template <class T, class... Bases>
  Registry& add(std::string name, std::function<Value(const T&, Encoder&)> encode,
                std::function<T(const Value&, Decoder&)> decode) {
    return add_with<T, Bases...>(std::move(name), true, std::move(encode), std::move(decode));
  }

  /// The type of that name in files, or null.
  [[nodiscard]] const Type* find(std::string_view name) const noexcept;
  /// The type added for that C++ type, or null.
  [[nodiscard]] const Type* find(const std::type_info& type) const noexcept;

 private:
  template <class T, class... Bases, class Encode, class Decode>
  Registry& add_with(std::string name, bool overrides, Encode encode, Decode decode) {
    static_assert((std::derived_from<T, Bases> && ...), "each of Bases must be a base class of T");
    Type type{std::move(name),
              typeid(T),
              overrides,
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
