/// \file
/// The static description of a C++ type, made once from its codec.
///
///     const TypeInfo& info = type_info<Model>();
///     to_string(info);    // struct Model {layers: list of Layer, labels: dict of i64 to str}
///
/// It tells what saving the type makes and what loading it needs, without an object or a file: for
/// formats that do not describe themselves, for error messages, and for documentation
/// (json_schema.hpp). Overrides in a `Registry` are not part of it.
///
/// A codec describes its type in a static member `describe_type`, which is optional:
///
///     template <class T> struct safestructures::Codec<Grid<T>> {
///       static void describe_type(TypeDescriber& type) { type.list<T>(); }
///       ...
///     };
///
/// A type whose codec has none is a `TypeKind::any` of the kinds in `Codec<T>::kinds`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/codable.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// Returns the name of a kind, such as `"list"` or `"enum"`.
SAFESTRUCTURES_API std::string_view to_string(TypeKind kind) noexcept;

/// A field of a struct, or a fixed entry of a dict.
struct TypeField {
  std::string name;                  ///< The name in the file.
  std::string cpp_name;              ///< The name in C++.
  std::vector<std::string> aliases;  ///< Other names that are accepted when loading.
  bool is_optional = false;          ///< Whether it may be missing in the file.
  bool has_default = false;  ///< If missing, whether it keeps its default; otherwise it is empty.
  const TypeInfo* type = nullptr;  ///< Never null in a finished description.
};

/// A named value of an enum.
struct TypeEnumerator {
  std::string name;        ///< The name in the file.
  std::int64_t value = 0;  ///< The number; for unsigned ones above 2^63 - 1 the same bits.
};

/// The description of a C++ type. Members that do not apply to its kind have their defaults.
/// Pointers refer to descriptions that live as long as the program; those of recursive types form
/// cycles.
struct TypeInfo {
  TypeKind kind = TypeKind::any;  ///< Determines which of the members below apply.
  /// The kinds of Value that saving makes.
  KindSet kinds = KindSet::any();
  /// The name in the file for a struct or custom type; the C++ name for an enum.
  std::string name;
  /// The class version of a struct.
  unsigned version = 0;
  /// The dtype of a number or of a tensor's elements; empty for a tensor of any dtype. A complex
  /// number of two doubles has none; tensors of these are F64.
  std::optional<DType> dtype;
  /// A mark by which a custom format may recognise this type, in addition to its kind:
  /// `burn.Param`.
  std::string mark;
  /// The width of an integer or floating-point number, or of a complex number's parts.
  unsigned bits = 0;
  /// Whether an integer can be negative.
  bool is_signed = false;
  /// Whether a tensor's last dimension is the two parts of a complex number.
  bool is_complex = false;
  /// Whether a pointer shares its object with others.
  bool is_shared = false;
  /// Whether a pointer's object may be of a derived class, which only a registry knows.
  bool is_polymorphic = false;
  /// The type that a list, set, dict, optional, pointer or custom value holds, or the integer type
  /// of an enum. For a tensor that is a sequence in C++ (`std::vector<float>`): the type of its
  /// items, a number or another tensor; null for other tensors. A sequence stored as a tensor also
  /// loads from a list of such items.
  const TypeInfo* item = nullptr;
  /// The keys of a dict.
  const TypeInfo* key = nullptr;
  /// The items of a tuple; the alternatives of a variant.
  std::vector<const TypeInfo*> items;
  /// The number of items, bytes or characters if C++ fixes it.
  std::optional<std::uint64_t> size;
  /// The possible sizes of a tensor's dimensions, outermost first; empty for any rank.
  std::optional<std::vector<Extent>> shape;
  /// The fields that are saved, in order.
  std::vector<TypeField> fields;
  /// The enumerators in order of value, or of `EnumNames`.
  std::vector<TypeEnumerator> enumerators;
};

/// Describes the type in words, for messages: `list of (f32 or None)`, `tensor F32 [any, 3]`.
/// Structs and enums inside it are only named; the type itself is shown with its fields or names.
SAFESTRUCTURES_API std::string to_string(const TypeInfo& type);

/// Returns the description of T, which is made by the first call for any type that refers to it;
/// later calls cost next to nothing. Valid as long as the program; thread-safe.
/// \throws std::bad_alloc, and what a user's `describe_type` throws; nothing is kept then
template <class T>
[[nodiscard]] const TypeInfo& type_info() {
  static_assert(Encodable<T> || Decodable<T>,
                "safestructures cannot describe this type: it is neither a supported standard type "
                "nor a plain aggregate. Specialise safestructures::Codec<T> for it (see "
                "docs/plugins.md)");
  return detail::type_info_of<T>();
}

}  // namespace safestructures::inline v0
