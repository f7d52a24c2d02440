/// \file
/// Codec of plain aggregates, which are structs of named fields in order of declaration, and of
/// classes whose rules list their members, which are structs of these.
///
/// Types declare their rules as in rules.hpp. A struct loads from a struct of any class name, from
/// a dict with string keys, and from a custom value that holds one of these. The class version is
/// the attribute "class_version"; a value without it has version 0.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <safestructures/codecs/members.hpp>
#include <safestructures/codecs/reflect.hpp>
#include <safestructures/codecs/rules.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// Whether a field of T may be missing, and is a default T then.
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// The class name, version and fields of a struct.
struct StructLayout {
  std::string_view class_name;
  unsigned version;
  std::span<const FieldInfo> fields;
  void (*migrate)(Value& value, unsigned from_version);  ///< Null if there is none.
};

/// Finds the fields for a struct in a value by name, after migration to its class version.
class SAFESTRUCTURES_API StructReader {
 public:
  /// The value and the layout must outlive this object.
  /// \throws Error `type_mismatch`, `unsupported_version` for a newer class version,
  /// `unknown_field` if the decoder refuses unknown fields; what `migrate` throws
  StructReader(const Value& value, const StructLayout& layout, const Decoder& decoder);
  ~StructReader();
  StructReader(const StructReader&) = delete;
  StructReader& operator=(const StructReader&) = delete;

  /// Returns the value of a field, by its name in the file or an alias; null if it is missing.
  [[nodiscard]] const Value* find(std::size_t field) const noexcept;
  /// Returns the value of a field. \throws Error `missing_field`
  [[nodiscard]] const Value& require(std::size_t field) const;
  /// Returns the name of a field in the file.
  [[nodiscard]] std::string_view name(std::size_t field) const noexcept {
    return layout_.fields[field].file_name;
  }

 private:
  void migrate(unsigned from_version);
  void refuse_unknown() const;

  const StructLayout& layout_;
  const Decoder& decoder_;
  const Value* value_;
  std::unique_ptr<Value> migrated_;
};

/// Returns an empty struct of that class and version, with room for that many fields.
SAFESTRUCTURES_API Value make_struct(std::string_view class_name, unsigned version,
                                     std::size_t fields);

/// The properties of a field's type that its struct needs. `type` is null for a skipped field,
/// whose type need not have a codec.
struct FieldCodec {
  TypeDescriber::Node* type = nullptr;
  bool is_optional = false;  ///< Whether it may be missing, such as a std::optional.
};
using EncodeField = Value (*)(const void* field, Encoder& encoder);

template <class Field>
Value encode_field(const void* field, Encoder& encoder) {
  return encoder.encode(*static_cast<const Field*>(field));
}

template <class Field, bool IsSkipped>
inline constexpr EncodeField encoder_of = &encode_field<Field>;
template <class Field>
inline constexpr EncodeField encoder_of<Field, true> = nullptr;

template <class Field, bool IsSkipped>
inline constexpr FieldCodec field_codec{&TypeDescriber::node<std::remove_cv_t<Field>>(),
                                        is_optional<std::remove_cv_t<Field>>};
template <class Field>
inline constexpr FieldCodec field_codec<Field, true>{};

/// Describes a struct by its layout and its fields.
SAFESTRUCTURES_API void describe_struct(TypeDescriber& type, const StructLayout& layout,
                                        std::span<const FieldCodec> fields);

/// Encodes the fields at those addresses as a struct; the encoder of a skipped field is null.
SAFESTRUCTURES_API Value encode_struct(const StructLayout& layout,
                                       std::span<const EncodeField> encoders,
                                       std::span<const void* const> addresses, Encoder& encoder);

/// Returns a field that no rule skips or makes optional.
template <class Field>
Field decode_field(const StructReader& reader, Decoder& decoder, std::size_t field) {
  if constexpr (is_optional<Field>) {
    const Value* found = reader.find(field);
    return found ? decoder.decode_at<Field>(reader.name(field), *found) : Field();
  } else {
    return decoder.decode_at<Field>(reader.name(field), reader.require(field));
  }
}

/// The default codec of structs.
template <Fielded T>
struct StructCodec {
  static constexpr KindSet kinds = Kind::structure;
  static constexpr std::string_view class_name = safestructures::class_name<T>;

  static constexpr auto migration() -> void (*)(Value&, unsigned) {
    if constexpr (has_migrate<T>) return &Rules<T>::migrate;
    else return nullptr;
  }
  static constexpr StructLayout layout{class_name, class_version<T>, field_info<T>, migration()};

  static void describe_type(TypeDescriber& type) {
    [&]<class... Field, std::size_t... I>(FieldTypes<Field...>, std::index_sequence<I...>) {
      static constexpr std::array<FieldCodec, sizeof...(I)> fields{
          field_codec<Field, field_info<T>[I].is_skipped>...};
      describe_struct(type, layout, fields);
    }(StructFieldTypes<T>{}, std::make_index_sequence<struct_size<T>>{});
  }

  static Value encode(const T& object, Encoder& encoder) {
    return [&]<class... Field, std::size_t... I>(FieldTypes<Field...>, std::index_sequence<I...>) {
      static constexpr std::array<EncodeField, sizeof...(I)> encoders{
          encoder_of<Field, field_info<T>[I].is_skipped>...};
      return encode_struct(layout, encoders, field_addresses(object), encoder);
    }(StructFieldTypes<T>{}, std::make_index_sequence<struct_size<T>>{});
  }

  static T decode(const Value& value, Decoder& decoder) {
    const StructReader reader(value, layout, decoder);
    if constexpr (ListsMembers<T>) return fill(reader, decoder);
    else if constexpr (needs_no_default(StructFieldTypes<T>{}))
      return construct_all(reader, decoder, StructFieldTypes<T>{},
                           std::make_index_sequence<struct_size<T>>{});
    else return construct<T>(Fields{reader, decoder});
  }

 private:
  /// Whether every field has the value of its own type from the file: no C arrays, and no rules
  /// that require the value of a default T.
  template <class... Field>
  static consteval bool needs_no_default(FieldTypes<Field...>) {
    for (const FieldInfo& info : field_info<T>)
      if (info.is_skipped || info.is_optional) return false;
    return !(std::is_array_v<Field> || ...);
  }

  template <class... Field, std::size_t... I>
  static T construct_all([[maybe_unused]] const StructReader& reader,
                         [[maybe_unused]] Decoder& decoder, FieldTypes<Field...>,
                         std::index_sequence<I...>) {
    return T{decode_field<std::remove_cv_t<Field>>(reader, decoder, I)...};
  }

  struct Fields {
    const StructReader& reader;
    Decoder& decoder;

    template <std::size_t I>
    FieldValue<T, I> operator()() const {
      static constexpr const FieldInfo& info = field_info<T>[I];
      using Field = FieldValue<T, I>;
      if constexpr (info.is_skipped) {
        return default_value<T, I>();
      } else if constexpr (info.is_optional) {
        const Value* found = reader.find(I);
        return found ? decoder.decode_at<Field>(info.file_name, *found) : default_value<T, I>();
      } else {
        return decode_field<Field>(reader, decoder, I);
      }
    }
  };

  /// Returns a default T whose listed members are assigned.
  static T fill(const StructReader& reader, Decoder& decoder) {
    static_assert(
        std::is_default_constructible_v<T> && std::is_move_constructible_v<T>,
        "safestructures: a class whose Rules<T> list its members is loaded into a default "
        "T: give it a default constructor and let it move, or write a Codec<T> for it.");
    T object{};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (fill_field<I>(object, reader, decoder), ...);
    }(std::make_index_sequence<struct_size<T>>{});
    return object;
  }

  template <std::size_t I>
  static void fill_field(T& object, const StructReader& reader, Decoder& decoder) {
    static constexpr const FieldInfo& info = field_info<T>[I];
    if constexpr (!info.is_skipped) {
      auto& field = struct_field<I>(object);
      using Field = std::remove_reference_t<decltype(field)>;
      using Loaded = typename ReturnableOf<Field>::type;
      static_assert(!std::is_const_v<std::remove_all_extents_t<Field>>,
                    "safestructures: Rules<T>::members has a const member, which cannot be loaded "
                    "into a default T: write a Codec<T> for the class.");
      const Value* found = reader.find(I);
      if constexpr (!info.is_optional && !is_optional<Field>) found = &reader.require(I);
      if (found != nullptr) assign_field(field, decoder.decode_at<Loaded>(info.file_name, *found));
      else if constexpr (is_optional<Field> && !info.is_optional) field = Field();
    }
  }
};

}  // namespace detail

template <detail::Fielded T>
struct Codec<T> : detail::StructCodec<T> {};

}  // namespace safestructures::inline v0
