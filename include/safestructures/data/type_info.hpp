/// \file
/// The static description of a C++ type, made once from its codec.
///
///     const TypeInfo& info = type_info<Model>();
///     to_string(info);    // struct Model {layers: list of Layer, labels: dict of i64 to str}
///
/// It says what saving the type makes and loading it wants, without an object and without a file:
/// for formats that do not describe themselves, for messages of what was expected, and for
/// documentation (json_schema.hpp). What a `Registry` overrides is not in it.
///
/// A codec describes its type in a static member `describe_type`, which is optional:
///
///     template <class T> struct safestructures::Codec<Grid<T>> {
///       static void describe_type(TypeDescriber& type) { type.list<T>(); }
///       ...
///     };
///
/// A type whose codec has none is `TypeKind::any`, of the kinds that `Codec<T>::kinds` names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// The name of a kind, such as `"list"` or `"enum"`.
SAFESTRUCTURES_API std::string_view to_string(TypeKind kind) noexcept;

/// A field of a struct, or a fixed entry of a dict.
struct TypeField {
  std::string name;                  ///< In the file.
  std::string cpp_name;              ///< In C++.
  std::vector<std::string> aliases;  ///< Other names that it is loaded by.
  bool is_optional = false;          ///< May be missing in the file.
  bool has_default = false;          ///< Missing, it keeps its default; else it is empty.
  const TypeInfo* type = nullptr;    ///< Never null in a finished description.
};

/// A named value of an enum.
struct TypeEnumerator {
  std::string name;        ///< In the file.
  std::int64_t value = 0;  ///< Of an unsigned enum above 2^63 - 1: the same bits.
};

/// The description of one C++ type. Members that its kind does not name have their defaults.
/// Pointers lead to descriptions that live as long as the program; those of recursive types lead
/// back.
struct TypeInfo {
  TypeKind kind = TypeKind::any;  ///< Says which of the members below have a meaning.
  /// The kinds of Value that saving it makes.
  KindSet kinds = KindSet::any();
  /// Of a struct and a custom type the name in the file; of an enum its name in C++.
  std::string name;
  /// The class version of a struct.
  unsigned version = 0;
  /// Of a number and of a tensor's elements; nothing: a tensor of any dtype. A complex number of
  /// two doubles has none; tensors of these are F64.
  std::optional<DType> dtype;
  /// What a format of one's own may know this type by, beside its kind: `burn.Param`.
  std::string mark;
  /// The width of an integer or floating-point number, and of a complex number's parts.
  unsigned bits = 0;
  /// Whether an integer can be negative.
  bool is_signed = false;
  /// Whether a tensor's last dimension is the two parts of a complex number.
  bool is_complex = false;
  /// Whether a pointer shares its object with others.
  bool is_shared = false;
  /// Whether a pointer's object may be of a derived class, known to a registry only.
  bool is_polymorphic = false;
  /// What a list, set, dict, optional, pointer or custom value holds, and the integer type of an
  /// enum. Of a tensor that is a sequence in C++ (`std::vector<float>`): one of its items, which
  /// is a number, or a tensor itself; null for other tensors. A sequence thus stored as a tensor
  /// loads from a list of those items as well.
  const TypeInfo* item = nullptr;
  /// The keys of a dict.
  const TypeInfo* key = nullptr;
  /// The items of a tuple; the alternatives of a variant.
  std::vector<const TypeInfo*> items;
  /// How many items, bytes or characters there are where C++ says it.
  std::optional<std::uint64_t> size;
  /// What a tensor's dimensions may be, outermost first; nothing: any rank.
  std::optional<std::vector<Extent>> shape;
  /// Those that are saved, in order.
  std::vector<TypeField> fields;
  /// In order of value, or of `EnumNames`.
  std::vector<TypeEnumerator> enumerators;
};

/// The type in words, for messages: `list of (f32 or None)`, `tensor F32 [any, 3]`. Structs and
/// enums in it are named only; as the whole type, they show their fields and names.
SAFESTRUCTURES_API std::string to_string(const TypeInfo& type);

/// True for a map of any type from strings to tensors: what a file of tensors without a structure
/// is.
[[nodiscard]] SAFESTRUCTURES_API bool is_state_dict(const TypeInfo& type) noexcept;

namespace detail {

/// The description of `node`'s type, with all that it leads to.
SAFESTRUCTURES_API const TypeInfo& build_type_info(TypeNode& node);

}  // namespace detail

/// The description of T, made at the first call for any type that leads to it; later calls cost
/// next to nothing. Valid as long as the program; safe from many threads.
/// \throws std::bad_alloc, and what a user's `describe_type` throws: nothing is kept then.
template <class T>
[[nodiscard]] const TypeInfo& type_info() {
  static_assert(Encodable<T> || Decodable<T>,
                "safestructures cannot describe this type: it is neither a supported standard type "
                "nor a plain aggregate. Specialise safestructures::Codec<T> for it (see "
                "docs/plugins.md)");
  return detail::build_type_info(TypeDescriber::node<T>());
}

}  // namespace safestructures::inline v0
