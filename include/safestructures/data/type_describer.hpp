/// \file
/// How a codec describes its type: the interface that `describe_type` receives.
///
/// The description itself is in type_info.hpp, which codecs do not need. This header is part of
/// every program that saves something, and compiles quickly.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <safestructures/data/codable.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>

namespace safestructures::inline v0 {

struct TypeInfo;

/// The kinds of C++ types as this library sees them: the kinds of Value, and what C++ adds to them.
enum class TypeKind : std::uint8_t {
  any,          ///< depends on the value: Value, std::any, types whose codec does not describe them
  none,         ///< always None: std::monostate, std::weak_ptr
  boolean,      ///< bool
  integer,      ///< an integer of `bits` bits, signed or unsigned
  floating,     ///< a floating-point number of `dtype`
  complex,      ///< a complex number whose parts have `bits` bits each
  string,       ///< text; of `size` characters if that is fixed (`char`)
  bytes,        ///< raw memory; of `size` bytes if that is fixed
  list,         ///< a sequence of `item`s; of length `size` if that is fixed
  tuple,        ///< the `items`, in order
  set,          ///< unique `item`s
  dict,         ///< a map from `key` to `item`; with exactly the `fields` if these are fixed
  structure,    ///< the `fields`, in order
  tensor,       ///< numbers of `dtype` in `shape`; see `TypeInfo::item`
  custom,       ///< a custom value with type name `name` and an `item` as payload
  enumeration,  ///< one of the `enumerators`, each a number of type `item`
  optional,     ///< an `item` or None: std::optional
  pointer,      ///< an `item` or None: smart pointers
  variant,      ///< one of the `items`
};

/// The sizes that a dimension of a tensor may have.
struct Extent {
  std::uint64_t min = 0;  ///< The smallest size.
  std::uint64_t max =
      (std::numeric_limits<std::uint64_t>::max)();  ///< The largest size; default: unlimited.

  /// Returns an extent that allows exactly this size.
  static constexpr Extent fixed(std::uint64_t size) { return {size, size}; }
  /// Returns an extent that allows sizes from 0 to this one.
  static constexpr Extent at_most(std::uint64_t size) { return {0, size}; }
  /// Whether exactly one size is allowed.
  [[nodiscard]] constexpr bool is_fixed() const { return min == max; }
  /// Whether a dimension may have this size.
  [[nodiscard]] constexpr bool holds(std::uint64_t size) const {
    return min <= size && size <= max;
  }
  /// Whether the bounds are the same.
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

/// Returns the shape as text, such as `[any, at most 4, 3]`.
SAFESTRUCTURES_API std::string to_string(std::span<const Extent> shape);

/// Properties of a field other than its type and its name in the file.
struct FieldTraits {
  std::string_view cpp_name = {};                  ///< The name in C++; empty if it is the same.
  std::span<const std::string_view> aliases = {};  ///< Other names that are accepted when loading.
  bool is_optional = false;                        ///< Whether it may be missing in the file.
  bool has_default = false;  ///< Whether it keeps its default if it is missing.
};

/// Properties of a pointer other than the type of its object.
struct PointerTraits {
  bool is_shared = false;       ///< Whether other pointers may own the object, too.
  bool is_polymorphic = false;  ///< Whether the object may be of a derived class.
};

class TypeDescriber;

/// A type whose codec describes it.
template <class T>
concept Described = requires(TypeDescriber& type) { Codec<T>::describe_type(type); };

namespace detail {

/// Holds the description of one type, which is made when it is first asked for.
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

/// Returns the description of `node`'s type and of everything it refers to.
SAFESTRUCTURES_API const TypeInfo& build_type_info(TypeNode& node);
/// Returns what `type_info` returns, also for a type without a codec.
template <class T>
const TypeInfo& type_info_of() {
  return build_type_info(type_node<std::remove_cv_t<T>>);
}

}  // namespace detail

/// Receives the description of a type from its codec, which calls exactly one of these functions
/// unless the comment of a function says otherwise. Other types are passed as template arguments
/// and described by their own codecs.
class SAFESTRUCTURES_API TypeDescriber {
 public:
  /// A number of items, bytes or characters if the type fixes it; otherwise empty.
  using Size = std::optional<std::uint64_t>;
  /// Represents a type in the overloads that take no template argument.
  using Node = detail::TypeNode;
  /// Returns the node of T; there is one per program.
  template <class T>
  static constexpr Node& node() {
    return detail::type_node<std::remove_cv_t<T>>;
  }

  /// Fills `info`, which must outlive this object.
  explicit TypeDescriber(TypeInfo& info) noexcept : info_(info) {}
  TypeDescriber(const TypeDescriber&) = delete;
  TypeDescriber& operator=(const TypeDescriber&) = delete;

  /// Describes the type like another one, which the codec encodes and decodes in its place.
  template <class T>
  void same_as() {
    detail::describe_type<std::remove_cv_t<T>>(*this);
  }

  /// Any Value of these kinds.
  void any(KindSet kinds = KindSet::any());
  /// The `TypeKind` of the same name. An integer is I8 to I64 or U8 to U64; the parts of a complex
  /// number are F32 or F64.
  /// @{
  void none();
  void boolean();
  void integer(DType dtype);
  void floating(DType dtype);
  void complex(DType part);
  void string(Size size = {});
  void bytes(Size size = {});
  /// @}

  /// The `TypeKind` of the same name, made of the given types.
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
  /// A T behind a pointer, or None. Other pointers may own the object of a shared one, too.
  /// @{
  template <class T>
  void pointer() {
    pointer(node<T>(), {.is_polymorphic = std::is_polymorphic_v<T>});
  }
  template <class T>
  void shared_pointer() {
    pointer(node<T>(), {.is_shared = true, .is_polymorphic = std::is_polymorphic_v<T>});
  }
  /// @}

  /// A tensor of any rank; of any dtype if none is given.
  void tensor(std::optional<DType> dtype = {});
  /// A tensor of that shape. Complex numbers for which there is no dtype have their two parts as
  /// the last dimension.
  void tensor(std::optional<DType> dtype, std::span<const Extent> shape, bool is_complex = false);
  /// Call after `tensor`: adds that it is a sequence of Items.
  template <class Item>
  void of(Size size = {}) {
    of(node<Item>(), size);
  }

  /// A struct with that class name and version; its fields are added by `field` calls that follow.
  void structure(std::string_view name, unsigned version = 0);
  /// A dict whose keys are text, of type Key; its entries are added by `field` calls that follow.
  template <class Key>
  void record() {
    record(node<Key>());
  }
  /// Adds the next field of a struct or record, by its name in the file.
  template <class T>
  void field(std::string_view name, const FieldTraits& traits = {}) {
    field(name, node<T>(), traits);
  }

  /// An enum with that integer type; its names are added by `enumerator` calls that follow.
  template <class Underlying>
  void enumeration(std::string_view name) {
    enumeration(name, node<Underlying>());
  }
  /// Adds the next name of an enum, as it is in the file.
  void enumerator(std::string_view name, std::int64_t value);

  /// A custom value; types with a `type_name` are described as one automatically.
  template <class Payload>
  void custom(std::string_view name) {
    custom(name, node<Payload>());
  }
  /// Call after any of these: sets the kinds of Value that saving makes, if they differ.
  void kinds(KindSet kinds);
  /// Call after any of these: sets `TypeInfo::mark`.
  void mark(std::string_view name);

  /// The same with a Node for each type; the templates above call these.
  /// @{
  void list(Node& item, Size size);
  void set(Node& item);
  void dict(Node& key, Node& item);
  void tuple(std::span<Node* const> items);
  void variant(std::span<Node* const> alternatives);
  void optional(Node& item);
  void pointer(Node& item, PointerTraits traits);
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
  else type.any(Kind::custom);  // A base class: only a registry knows.
}

}  // namespace detail
}  // namespace safestructures::inline v0
