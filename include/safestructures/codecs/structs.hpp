/// \file
/// Codec of plain aggregates: a struct of named fields, in order of declaration; and of classes
/// whose rules list their members: a struct of these.
///
/// What a type says about itself is in rules.hpp. A struct loads from a struct of any class name,
/// from a dict with string keys, and from a custom value that holds one of these. The class version
/// is the attribute "class_version"; a value without one has version 0.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// What a struct expects of a value.
struct StructLayout {
  std::string_view class_name;
  unsigned version;
  std::span<const FieldInfo> fields;
  void (*migrate)(Value& value, unsigned from_version);  ///< Null where there is none.
};

/// The fields that a value has for a struct, found by name, after migration to its class version.
class SAFESTRUCTURES_API StructReader {
 public:
  /// Both must outlive this.
  /// \throws Error `type_mismatch`, `unsupported_version` for a newer class version,
  /// `unknown_field` where the decoder refuses those; what `migrate` throws.
  StructReader(const Value& value, const StructLayout& layout, const Decoder& decoder);
  ~StructReader();
  StructReader(const StructReader&) = delete;
  StructReader& operator=(const StructReader&) = delete;

  /// The value of a field, by its name in the file or an alias; null when it is missing.
  [[nodiscard]] const Value* find(std::size_t field) const noexcept;
  /// The value of a field. \throws Error `missing_field`
  [[nodiscard]] const Value& require(std::size_t field) const;

 private:
  void migrate(unsigned from_version);
  void refuse_unknown() const;

  const StructLayout& layout_;
  const Decoder& decoder_;
  const Value* value_;
  std::unique_ptr<Value> migrated_;
};

/// An empty struct of that class and version, with room for that many fields.
SAFESTRUCTURES_API Value make_struct(std::string_view class_name, unsigned version,
                                     std::size_t fields);

/// A field's type, and what holds when it is missing in the file; see `TypeField`.
struct FieldNode {
  TypeDescriber::Node* type = nullptr;
  bool is_optional = false;
  bool has_default = false;
};
/// Describes a struct by its layout, and by a node for each field that is not skipped.
SAFESTRUCTURES_API void describe_struct(TypeDescriber& type, const StructLayout& layout,
                                        std::span<const FieldNode> nodes);

template <class T, std::size_t I>
consteval FieldNode field_node() {
  if constexpr (field_info<T>[I].is_skipped) {
    return {};
  } else {
    using Field = std::remove_cv_t<StructField<T, I>>;
    constexpr bool by_rule = field_info<T>[I].is_optional;
    return {&TypeDescriber::node<Field>(), is_optional<Field> || by_rule,
            by_rule && !is_optional<Field>};
  }
}

/// The codec of a struct without one of its own.
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
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      static constexpr std::array<FieldNode, sizeof...(I)> nodes{field_node<T, I>()...};
      describe_struct(type, layout, nodes);
    }(std::make_index_sequence<struct_size<T>>{});
  }

  static Value encode(const T& object, Encoder& encoder) {
    Value value = make_struct(class_name, class_version<T>, struct_size<T>);
    if constexpr (ListsMembers<T>) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (encode_field<I>(struct_field<I>(object), value, encoder), ...);
      }(std::make_index_sequence<struct_size<T>>{});
    } else {
      // Boost.PFR ties all fields at once.
      for_each_field(object, [&](std::string_view, const auto& field, auto index) {
        encode_field<index>(field, value, encoder);
      });
    }
    return value;
  }

  static T decode(const Value& value, Decoder& decoder) {
    const StructReader reader(value, layout, decoder);
    if constexpr (ListsMembers<T>) return fill(reader, decoder);
    else return construct<T>(Fields{reader, decoder});
  }

 private:
  template <std::size_t I, class Field>
  static void encode_field(const Field& field, Value& value, Encoder& encoder) {
    static constexpr const FieldInfo& info = field_info<T>[I];
    if constexpr (!info.is_skipped)
      value.insert(Value(info.file_name), encoder.encode_at(info.file_name, field));
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
      } else if constexpr (is_optional<Field>) {
        const Value* found = reader.find(I);
        return found ? decoder.decode_at<Field>(info.file_name, *found) : Field();
      } else if constexpr (info.is_optional) {
        const Value* found = reader.find(I);
        return found ? decoder.decode_at<Field>(info.file_name, *found) : default_value<T, I>();
      } else {
        return decoder.decode_at<Field>(info.file_name, reader.require(I));
      }
    }
  };

  /// A default T whose listed members are assigned.
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
      else if constexpr (is_optional<Field>) field.reset();
    }
  }
};

}  // namespace detail

template <detail::Fielded T>
struct Codec<T> : detail::StructCodec<T> {};

}  // namespace safestructures::inline v0
