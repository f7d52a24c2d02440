/// \file
/// Vectors of plain numeric structs as columns: one tensor for each field.
///
/// A list of structs costs about a hundred bytes of header per item; columns cost only as much as
/// the numbers. A type requests them in its rules, or the caller for all types that support them
/// (`SaveOptions::columns`):
///
///     template <> struct safestructures::Rules<Particle> {
///       static constexpr bool columns = true;
///     };
///
/// This applies to a std::vector of structs or std::pairs if each of their fields is one of:
/// - a number, `bool` or enum, which is stored as its number, with the names in the attribute
/// "names";
/// - a std::array or C array of numbers;
/// - a type with a `BlockLayout`;
/// - a std::string;
/// - such a struct or std::pair.
///
/// The vector is saved as one struct of tensors, whose first dimension is the number of items, with
/// that number in the attribute "columns". A map from numbers, enums or strings to such types is
/// saved like the vector of its pairs. Strings are a struct of two tensors: "text", the bytes of
/// all, and "ends", the position where each ends.
///
/// The numbers of a vector are not copied: the tensors are strided views of it. They are stored in
/// their own dtype, whatever the `Precision`, as the scalars that they replace would be. The map
/// and any sequence of the struct load from either form.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <safestructures/codecs/enums.hpp>
#include <safestructures/codecs/numbers.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/codecs/structs.hpp>
#include <safestructures/codecs/tuple.hpp>
#include <safestructures/codecs/vector.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/registry.hpp>

namespace safestructures::inline v0 {
namespace detail {

template <class T>
inline constexpr bool is_pair = false;
template <class First, class Second>
inline constexpr bool is_pair<std::pair<First, Second>> = true;

template <class T>
consteval bool is_columnar();

/// Whether T can be a column, or a struct of them. Each question is asked only after the previous
/// ones are answered, because the codec of a type that contains itself is still incomplete.
template <class T>
consteval bool is_column() {
  if constexpr (std::is_const_v<T>) return false;
  else if constexpr (std::same_as<T, std::string> || Block<T>) return true;
  else if constexpr (Enum<T>) return !NamedCodec<T>;
  else return is_columnar<T>();
}

template <class T, std::size_t I>
consteval bool is_column_field() {
  if constexpr (field_info<T>[I].is_skipped) return true;
  else return is_column<StructField<T, I>>();
}

template <class T>
consteval bool is_columnar() {
  if constexpr (is_pair<T>) {
    return is_column<typename T::first_type>() && is_column<typename T::second_type>();
  } else if constexpr (!Fielded<T>) {
    return false;  // Nor types with a BlockLayout, whose vectors are one tensor.
  } else if constexpr (NamedCodec<T>) {
    return false;
  } else if constexpr (!std::is_base_of_v<StructCodec<T>, Codec<T>> || has_migrate<T> ||
                       !std::is_default_constructible_v<T>) {
    return false;
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (is_column_field<T, I>() && ...) && (!field_info<T>[I].is_skipped || ...);
    }(std::make_index_sequence<struct_size<T>>());
  }
}

/// A struct or pair whose vectors can be saved as columns: default-constructible, saved by the
/// library's own codec, without migrations, and containing only numbers and text.
template <class T>
concept Columnar = is_columnar<T>();

/// A type whose rules request columns.
template <class T>
concept WantsColumns = requires { requires Rules<T>::columns; };

struct ColumnStruct;

/// One field of the items: its numbers, or its own fields.
struct Column {
  std::size_t field = 0;   // The index in the layout of its struct.
  std::size_t offset = 0;  // From the start of an item, in bytes.
  std::size_t size = 0;
  DType dtype = DType::U8;
  std::vector<std::uint64_t> dims;
  bool complex = false;
  bool is_text = false;  // Whether it is a std::string.
  const std::type_info* type = nullptr;
  /// The names of an enum; null for other types.
  const EnumTable& (*names)() = nullptr;
  std::vector<ColumnStruct> parts;  // One entry for a struct, otherwise empty.
};

/// The layout of an item's fields.
struct ColumnStruct {
  StructLayout layout;
  std::vector<Column> columns;
  const std::type_info* type = nullptr;
};

/// Whether the registry has its own codec for the items or a part of them, which columns would not
/// use.
SAFESTRUCTURES_API bool is_overridden(const ColumnStruct& items, const Registry* registry);

/// Returns views of the fields of `count` items, `stride` bytes apart; text is copied.
SAFESTRUCTURES_API Value encode_columns(const ColumnStruct& items, const std::byte* first,
                                        std::size_t count, std::size_t stride, Encoder& encoder);
/// Returns the number of items in the first column.
SAFESTRUCTURES_API std::size_t count_columns(const Value& value, const ColumnStruct& items,
                                             Decoder& decoder);
/// Fills the fields of `count` items.
/// \throws Error `shape_mismatch` if a column has another length
SAFESTRUCTURES_API void decode_columns(const Value& value, const ColumnStruct& items,
                                       std::byte* first, std::size_t count, std::size_t stride,
                                       Decoder& decoder);

/// The integer type of that width: enums may have others, such as `char`.
template <std::size_t size, bool is_signed>
using NumberOfWidth = std::conditional_t<
    size == 1, std::conditional_t<is_signed, std::int8_t, std::uint8_t>,
    std::conditional_t<
        size == 2, std::conditional_t<is_signed, std::int16_t, std::uint16_t>,
        std::conditional_t<size == 4, std::conditional_t<is_signed, std::int32_t, std::uint32_t>,
                           std::conditional_t<is_signed, std::int64_t, std::uint64_t>>>>;

template <class T>
ColumnStruct column_struct(const T& item, const std::byte* first);

template <class Field>
Column column_of(std::size_t index, const Field& field, const std::byte* first) {
  Column column;
  column.field = index;
  column.offset =
      static_cast<std::size_t>(reinterpret_cast<const std::byte*>(std::addressof(field)) - first);
  column.size = sizeof(Field);
  column.type = &typeid(Field);
  if constexpr (Block<Field>) {
    using Numbers = BlockLayout<Field>;
    column.dtype = Numbers::dtype;
    column.dims.assign(Numbers::dims.begin(), Numbers::dims.end());
    column.complex = Numbers::complex;
  } else if constexpr (std::same_as<Field, std::string>) {
    column.is_text = true;
  } else if constexpr (Enum<Field>) {
    column.dtype =
        dtype_of<NumberOfWidth<sizeof(Field), std::is_signed_v<std::underlying_type_t<Field>>>>;
    column.names = &enum_table<Field>;
  } else {
    column.parts.push_back(column_struct(field, first));
  }
  return column;
}

inline constexpr std::array<FieldInfo, 2> pair_fields{
    FieldInfo{.name = "first", .file_name = "first"},
    FieldInfo{.name = "second", .file_name = "second"}};

/// Returns the layout of an item's fields, from an example item at `first` or a part of it.
template <class T>
ColumnStruct column_struct(const T& item, const std::byte* first) {
  if constexpr (is_pair<T>) {
    ColumnStruct result{{"pair", 0, pair_fields, nullptr}, {}, &typeid(T)};
    result.columns.push_back(column_of(0, item.first, first));
    result.columns.push_back(column_of(1, item.second, first));
    return result;
  } else {
    ColumnStruct result{Codec<T>::layout, {}, &typeid(T)};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (
          [&] {
            if constexpr (!field_info<T>[I].is_skipped)
              result.columns.push_back(
                  column_of<std::remove_cv_t<StructField<T, I>>>(I, struct_field<I>(item), first));
          }(),
          ...);
    }(std::make_index_sequence<struct_size<T>>());
    return result;
  }
}

template <Columnar T>
const ColumnStruct& columns_of() {
  // Never destroyed: destructors of static objects may save and load.
  static const ColumnStruct& result = *[] {
    const T item{};
    return new ColumnStruct(
        column_struct(item, reinterpret_cast<const std::byte*>(std::addressof(item))));
  }();
  return result;
}

}  // namespace detail

/// A list, or columns if its rules or the caller request them and the registry has no codec for any
/// part of it. Loads from both.
template <detail::Columnar T, class Allocator>
struct Codec<std::vector<T, Allocator>> {
  using List = ListCodec<std::vector<T, Allocator>>;
  static constexpr KindSet kinds = KindSet(Kind::list) | Kind::structure;
  static void describe_type(TypeDescriber& type) { type.list<T>(); }

  static Value encode(const std::vector<T, Allocator>& vector, Encoder& encoder) {
    if (!detail::WantsColumns<T> && !encoder.columns()) return List::encode(vector, encoder);
    const detail::ColumnStruct& items = detail::columns_of<T>();
    if (detail::is_overridden(items, encoder.registry())) return List::encode(vector, encoder);
    return detail::encode_columns(items, reinterpret_cast<const std::byte*>(vector.data()),
                                  vector.size(), sizeof(T), encoder);
  }
  static std::vector<T, Allocator> decode(const Value& value, Decoder& decoder) {
    if (value.kind() != Kind::structure) return List::decode(value, decoder);
    const detail::ColumnStruct& items = detail::columns_of<T>();
    std::vector<T, Allocator> result(detail::count_columns(value, items, decoder));
    detail::decode_columns(value, items, reinterpret_cast<std::byte*>(result.data()), result.size(),
                           sizeof(T), decoder);
    return result;
  }
};

namespace detail {

template <class T>
void refuse_columns() {
  static_assert(always_false<T>,
                "safestructures: Rules<T>::columns is for structs that can be columns: those with "
                "a default constructor and without migrate, all of whose fields are numbers, bool, "
                "enums, std::arrays or C arrays of numbers, types with a BlockLayout, strings, or "
                "such structs or pairs. In place of a small matrix or vector of another library, "
                "use a std::array");
}

}  // namespace detail

/// For rules that request columns for a type that cannot have them. Without this codec, saving and
/// loading would, in addition to the reason, report that the type is not supported.
template <detail::WantsColumns T, class Allocator>
  requires(!detail::Columnar<T> && !requires { BlockLayout<T>::dtype; })
struct Codec<std::vector<T, Allocator>> {
  static Value encode(const std::vector<T, Allocator>&, Encoder&) {
    detail::refuse_columns<T>();
    return {};
  }
  static std::vector<T, Allocator> decode(const Value&, Decoder&) {
    detail::refuse_columns<T>();
    return {};
  }
};

}  // namespace safestructures::inline v0
