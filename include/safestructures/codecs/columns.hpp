/// \file
/// Vectors of plain numeric structs as columns: one tensor for each field.
///
/// A list of structs costs some hundred bytes of header for each item; columns cost what the
/// numbers cost. A std::vector of at least `EncodeOptions::columns_from` structs, all of whose
/// fields are numbers, `bool` or fixed arrays of these, is saved as one struct of tensors, whose
/// first dimension counts the items, with the attribute "columns": that count. Nothing is copied:
/// the tensors are strided views of the vector. They are stored in their own dtype, whatever
/// `Precision` says, as the scalars that they stand for would be. Any sequence of the struct loads
/// from either form.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/codecs/structs.hpp>
#include <safestructures/codecs/vector.hpp>

namespace safestructures {
namespace detail {

template <class T, std::size_t I>
consteval bool is_column_field() {
  if constexpr (field_info<T>[I].is_skipped) return true;
  else return Block<StructField<T, I>> && !std::is_const_v<StructField<T, I>>;
}

template <class T>
consteval bool is_columnar() {
  if constexpr (!Fielded<T> || NamedCodec<T>) {
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

/// A struct whose vectors can be saved as columns: default-constructible, saved by the library's
/// own codec, without migrations, and with nothing in it but numbers.
template <class T>
concept Columnar = is_columnar<T>();

/// A view of one field of `count` structs that lie `stride` bytes apart.
SAFESTRUCTURES_API Value encode_column(DType dtype, std::span<const std::uint64_t> dims,
                                       bool complex, const std::byte* first, std::size_t count,
                                       std::size_t stride);

/// Throws `shape_mismatch` when a column has another length than the first.
SAFESTRUCTURES_API void expect_column_length(std::size_t found, std::size_t expected,
                                             const Decoder& decoder);

/// Fills field I of all items of `result`, which gets its size from the first column.
template <std::size_t I, class T, class Vector>
void decode_column(const Value& column, Decoder& decoder, Vector& result, bool is_first) {
  using Column = BlockLayout<std::remove_cv_t<StructField<T, I>>>;
  const Walker::Step step(decoder, field_info<T>[I].file_name);
  BlockReader reader(column, decoder, Column::dtype, Column::dims);
  if (is_first) result.resize(reader.size());
  else expect_column_length(reader.size(), result.size(), decoder);
  auto item = result.begin();
  for (;;) {
    const std::span<const std::byte> piece = reader.next();
    if (piece.empty()) return;
    constexpr std::size_t size = sizeof(std::remove_cv_t<StructField<T, I>>);
    for (std::size_t at = 0; at < piece.size(); at += size, ++item)
      std::memcpy(&struct_field<I>(*item), piece.data() + at, size);
  }
}

template <Columnar T>
struct ColumnsCodec {
  template <class Vector>
  static Value encode(const Vector& vector) {
    Value value = make_struct(Codec<T>::class_name, class_version<T>, struct_size<T>);
    value.set_attribute(attributes::columns, Value(vector.size()));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add_column<I>(value, vector), ...);
    }(std::make_index_sequence<struct_size<T>>());
    return value;
  }

  template <class Vector>
  static Vector decode(const Value& value, Decoder& decoder) {
    const StructReader reader(value, Codec<T>::layout, decoder);
    Vector result;
    bool is_first = true;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (
          [&] {
            static constexpr const FieldInfo& info = field_info<T>[I];
            if constexpr (!info.is_skipped) {
              const Value* column = info.is_optional ? reader.find(I) : &reader.require(I);
              if (column == nullptr) return;
              decode_column<I, T>(*column, decoder, result, std::exchange(is_first, false));
            }
          }(),
          ...);
    }(std::make_index_sequence<struct_size<T>>());
    return result;
  }

 private:
  template <std::size_t I, class Vector>
  static void add_column(Value& value, const Vector& vector) {
    static constexpr const FieldInfo& info = field_info<T>[I];
    if constexpr (!info.is_skipped) {
      using Column = BlockLayout<std::remove_cv_t<StructField<T, I>>>;
      const auto* first = reinterpret_cast<const std::byte*>(&struct_field<I>(vector.front()));
      value.insert(Value(info.file_name),
                   encode_column(Column::dtype, Column::dims, Column::complex, first, vector.size(),
                                 sizeof(T)));
    }
  }
};

}  // namespace detail

/// A list, or from `EncodeOptions::columns_from` items on columns. Loads from both.
template <detail::Columnar T, class Allocator>
struct Codec<std::vector<T, Allocator>> {
  using List = ListCodec<std::vector<T, Allocator>>;
  static constexpr KindSet kinds = KindSet(Kind::list) | Kind::structure;
  static void describe_type(TypeDescriber& type) { type.list<T>(); }

  static Value encode(const std::vector<T, Allocator>& vector, Encoder& encoder) {
    if (vector.empty() || vector.size() < encoder.columns_from())
      return List::encode(vector, encoder);
    return detail::ColumnsCodec<T>::encode(vector);
  }
  static std::vector<T, Allocator> decode(const Value& value, Decoder& decoder) {
    if (value.kind() != Kind::structure) return List::decode(value, decoder);
    return detail::ColumnsCodec<T>::template decode<std::vector<T, Allocator>>(value, decoder);
  }
};

}  // namespace safestructures
