/// \file
/// Codec of plain aggregates: a struct of named fields, in order of declaration.
///
/// What a type says about itself is in rules.hpp. A struct loads from a struct of any class name,
/// from a dict with string keys, and from a custom value that holds one of these. The class version
/// is the attribute "class_version"; a value without one has version 0.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <safestructures/codecs/kinds.hpp>
#include <safestructures/codecs/reflect.hpp>
#include <safestructures/codecs/rules.hpp>
#include <safestructures/data/codec.hpp>

namespace safestructures {
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

/// The codec of an aggregate without one of its own.
template <Aggregate T>
struct StructCodec {
  static constexpr KindSet kinds = Kind::structure;
  static constexpr std::string_view class_name = safestructures::class_name<T>;

  static constexpr auto migration() -> void (*)(Value&, unsigned) {
    if constexpr (has_migrate<T>) return &Rules<T>::migrate;
    else return nullptr;
  }
  static constexpr StructLayout layout{class_name, class_version<T>, field_info<T>, migration()};

  static Value encode(const T& object, Encoder& encoder) {
    Value value = make_struct(class_name, class_version<T>, field_count<T>);
    for_each_field(object, [&](std::string_view, const auto& field, auto index) {
      static constexpr const FieldInfo& info = field_info<T>[index];
      if constexpr (!info.is_skipped)
        value.insert(Value(info.file_name), encoder.encode_at(info.file_name, field));
    });
    return value;
  }

  static T decode(const Value& value, Decoder& decoder) {
    const StructReader reader(value, layout, decoder);
    return construct<T>(Fields{reader, decoder});
  }

 private:
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
};

}  // namespace detail

template <detail::Aggregate T>
struct Codec<T> : detail::StructCodec<T> {};

}  // namespace safestructures
