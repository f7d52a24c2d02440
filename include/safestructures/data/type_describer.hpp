/// \file
/// How a codec describes its type: what it hands to the `TypeDescriber` in `describe_type`.
///
/// The description itself is in type_info.hpp, which codecs do not need: this header is in every
/// program that saves something, and compiles quickly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>

namespace safestructures::inline v0 {

struct TypeInfo;

/// What a C++ type is to this library: the kinds of Value, and what C++ adds to them.
enum class TypeKind : std::uint8_t {
  any,          ///< what each value says: Value, std::any, types whose codec does not describe them
  none,         ///< always None: std::monostate, std::weak_ptr
  boolean,      ///< bool
  integer,      ///< an integer of `bits`, with or without sign
  floating,     ///< a floating-point number of `dtype`
  complex,      ///< a complex number, each part of `bits`
  string,       ///< text; of `size` characters where that is fixed (`char`)
  bytes,        ///< raw memory; of `size` bytes where that is fixed
  list,         ///< a sequence of `item`s; of `size` where that is fixed
  tuple,        ///< the `items`, in order
  set,          ///< unique `item`s
  dict,         ///< from `key` to `item`; of exactly the `fields` where these are fixed
  structure,    ///< the `fields`, in order
  tensor,       ///< numbers of `dtype` in the `shape`; see `TypeInfo::item`
  custom,       ///< the custom value called `name`, whose payload is an `item`
  enumeration,  ///< one of the `enumerators`, each a number of type `item`
  optional,     ///< an `item` or None: std::optional
  pointer,      ///< an `item` or None: smart pointers
  variant,      ///< one of the `items`
};

/// How large one dimension of a tensor may be.
struct Extent {
  std::uint64_t least = 0;  ///< The smallest size.
  std::uint64_t most =
      (std::numeric_limits<std::uint64_t>::max)();  ///< The largest; no bound else.

  /// That size and no other.
  static constexpr Extent fixed(std::uint64_t size) { return {size, size}; }
  /// From 0 to that size.
  static constexpr Extent at_most(std::uint64_t size) { return {0, size}; }
  /// Whether there is one size only.
  [[nodiscard]] constexpr bool is_fixed() const { return least == most; }
  /// Whether a dimension may have that size.
  [[nodiscard]] constexpr bool holds(std::uint64_t size) const {
    return least <= size && size <= most;
  }
  /// Same bounds.
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

/// `[any, at most 4, 3]`
SAFESTRUCTURES_API std::string to_string(std::span<const Extent> shape);

/// What is to be known of a field beside its name in the file and its type.
struct FieldTraits {
  std::string_view cpp_name = {};                  ///< The name in C++; empty: the same.
  std::span<const std::string_view> aliases = {};  ///< Other names that it is loaded by.
  bool is_optional = false;                        ///< May be missing in the file.
  bool has_default = false;                        ///< Missing, it keeps its default.
};

class TypeDescriber;

/// A type whose codec describes it.
template <class T>
concept Described = requires(TypeDescriber& type) { Codec<T>::describe_type(type); };

namespace detail {

/// The place of one type's description, made when it is first asked for.
struct TypeNode {
  void (*describe)(TypeDescriber& type);
  const TypeInfo* ready = nullptr;  // Atomic; see build_type_info.
  TypeInfo* building = nullptr;     // Under the lock of build_type_info.
};

template <class T>
void describe_type(TypeDescriber& type);
template <class T>
void describe_payload(TypeDescriber& type);

template <class T>
inline constinit TypeNode type_node{&describe_type<T>};
template <class T>
inline constinit TypeNode payload_node{&describe_payload<T>};

}  // namespace detail

/// Takes the description of one type from its codec, which calls one of these, except where two
/// are named. Types are given as template arguments and described by their own codecs.
class SAFESTRUCTURES_API TypeDescriber {
 public:
  /// How many there are where the type fixes it; else nothing.
  using Size = std::optional<std::uint64_t>;
  /// Stands for a type in the overloads that take no template argument.
  using Node = detail::TypeNode;
  /// The Node of T, one in the program.
  template <class T>
  static constexpr Node& node() {
    return detail::type_node<std::remove_cv_t<T>>;
  }

  /// Fills `info`, which must outlive it.
  explicit TypeDescriber(TypeInfo& info) noexcept : info_(info) {}
  TypeDescriber(const TypeDescriber&) = delete;
  TypeDescriber& operator=(const TypeDescriber&) = delete;

  /// As another type, which the codec encodes and decodes instead.
  template <class T>
  void same_as() {
    detail::describe_type<std::remove_cv_t<T>>(*this);
  }

  /// Any Value of those kinds.
  void any(KindSet kinds = KindSet::any());
  /// What `TypeKind` says under that name. An integer has 8, 16, 32 or 64 bits; the parts of a
  /// complex number are F32 or F64.
  /// @{
  void none();
  void boolean();
  void integer(unsigned bits, bool is_signed);
  void floating(DType dtype);
  void complex(DType part);
  void string(Size size = {});
  void bytes(Size size = {});
  /// @}

  /// What `TypeKind` says under that name, of these types.
  /// @{
  template <class Item>
  void list(Size size = {}) {
    list(node<Item>(), size);
  }
  template <class Item>
  void set() {
    set(node<Item>());
  }
  template <class Key, class Item>
  void dict() {
    dict(node<Key>(), node<Item>());
  }
  template <class... Items>
  void tuple() {
    tuple(nodes<Items...>);
  }
  template <class... Alternatives>
  void variant() {
    variant(nodes<Alternatives...>);
  }
  template <class T>
  void optional() {
    optional(node<T>());
  }
  /// @}
  /// A T or None, behind a pointer. \param is_shared whether other pointers may own it as well
  template <class T>
  void pointer(bool is_shared) {
    pointer(node<T>(), is_shared, std::is_polymorphic_v<T>);
  }

  /// A tensor of any rank; without a dtype, of any.
  void tensor(std::optional<DType> dtype = {});
  /// A tensor of that shape, which includes the parts of complex numbers for which there is no
  /// dtype.
  void tensor(std::optional<DType> dtype, std::span<const Extent> shape, bool is_complex = false);
  /// After `tensor`: it is a sequence of these.
  template <class Item>
  void of(Size size = {}) {
    of(node<Item>(), size);
  }

  /// A struct of that class name and version, with the fields that are added after it.
  void structure(std::string_view name, unsigned version = 0);
  /// A dict whose keys are text, of type Key, with the entries that are added after it.
  template <class Key>
  void record() {
    record(node<Key>());
  }
  /// The next field of a struct or record, by its name in the file.
  template <class T>
  void field(std::string_view name, const FieldTraits& traits = {}) {
    field(name, node<T>(), traits);
  }

  /// An enum with that integer type, and the names that are added after it.
  template <class Underlying>
  void enumeration(std::string_view name) {
    enumeration(name, node<Underlying>());
  }
  /// The next name of an enum, as it is in the file.
  void enumerator(std::string_view name, std::int64_t value);

  /// A custom value; types with a `type_name` are described so without asking.
  template <class Payload>
  void custom(std::string_view name) {
    custom(name, node<Payload>());
  }
  /// After any of these: the kinds of Value that saving makes, where they are others.
  void kinds(KindSet kinds);
  /// After any of these: `TypeInfo::mark`.
  void mark(std::string_view name);

  /// The same with a Node for each type: what the templates above come to.
  /// @{
  void list(Node& item, Size size);
  void set(Node& item);
  void dict(Node& key, Node& item);
  void tuple(std::span<Node* const> items);
  void variant(std::span<Node* const> alternatives);
  void optional(Node& item);
  void pointer(Node& item, bool is_shared, bool is_polymorphic);
  void of(Node& item, Size size);
  void record(Node& key);
  void field(std::string_view name, Node& type, const FieldTraits& traits);
  void enumeration(std::string_view name, Node& underlying);
  void custom(std::string_view name, Node& payload);
  /// @}

 private:
  template <class... Ts>
  static constexpr auto nodes = [] {
    if constexpr (sizeof...(Ts) == 0) return std::span<Node* const>();
    else return std::array<Node*, sizeof...(Ts)>{&node<Ts>()...};
  }();
  void start(TypeKind kind);
  static const TypeInfo* refer(Node& node);

  TypeInfo& info_;
};

namespace detail {

template <class T>
void describe_payload(TypeDescriber& type) {
  if constexpr (Described<T>) Codec<T>::describe_type(type);
  else type.any();
  if constexpr (SaysKinds<T>) type.kinds(Codec<T>::kinds);
}

template <class T>
void describe_type(TypeDescriber& type) {
  if constexpr (NamedCodec<T>) type.custom(Codec<T>::type_name, payload_node<T>);
  else if constexpr (Encodable<T> || Decodable<T>) describe_payload<T>(type);
  else type.any(Kind::custom);  // A base class: what a registry knows.
}

}  // namespace detail
}  // namespace safestructures::inline v0
