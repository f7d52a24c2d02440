/// \file
/// Codec of std::variant.
///
/// Loading restores exactly the alternative that was saved. The value itself tells which one it is:
/// - by its type name, for types with a `type_name` and for structs;
/// - otherwise by its kind (std::monostate makes None, std::int64_t an int); among alternatives of
///   one kind, the first that fits by dtype, shape, range, names and fields, or else the first;
/// - otherwise, in files of other origin, the first that could be loaded from it, by what it holds:
///   an array of numbers in JSON is a `std::vector<double>` rather than one of strings, an object
///   the struct with its fields; and finally those that can load the number in a tensor of rank 0
///   or a NumPy scalar.
///
/// If that would be another alternative than the saved one, the value carries a tag:
/// - a list, tuple, set, dict, struct or tensor has the attribute "variant", the index. Python
///   ignores it and drops it when it saves, after which the rules above apply;
/// - a scalar, which has no attributes, becomes a dict {"variant": index, "value": scalar}, which
///   is visible in Python; so does a value that already has such an attribute or looks like such a
///   dict.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include <safestructures/codecs/fielded.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/data/type_info.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// The properties that distinguish the alternatives of a variant.
struct Alternative {
  KindSet kinds;
  std::string_view type_name;  ///< The name of the custom type or struct; empty if there is none.
  const TypeInfo& (*type)();   ///< The type, to distinguish alternatives of one kind.
};

/// Returns the value of the alternative `index`, with a tag if it needs one.
SAFESTRUCTURES_API Value tag_variant(Value value, std::size_t index,
                                     std::span<const Alternative> alternatives);

struct VariantContent {
  std::size_t index;
  const Value* value;
};
/// Returns which alternative to load, and from which value.
/// \throws Error `out_of_range` for a tag that is not an alternative, `type_mismatch` if none fits
SAFESTRUCTURES_API VariantContent read_variant(const Value& value,
                                               std::span<const Alternative> alternatives,
                                               const Decoder& decoder);

template <class T>
consteval std::string_view alternative_name() {
  if constexpr (NamedCodec<T>) return Codec<T>::type_name;
  else if constexpr (requires { Codec<T>::class_name; }) return Codec<T>::class_name;
  else return {};
}

template <class... Ts>
inline constexpr std::array<Alternative, sizeof...(Ts)> alternatives{
    Alternative{kinds_of<Ts>(), alternative_name<Ts>(), &type_info<Ts>}...};

}  // namespace detail

// More constrained than the codec of structs, because std::monostate is a struct.
template <detail::Fielded T>
  requires std::same_as<T, std::monostate>
struct Codec<T> {
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = Kind::none;
  static void describe_type(TypeDescriber& type) { type.none(); }
  static Value encode(const T&, Encoder&) { return {}; }
  static T decode(const Value& value, Decoder& decoder) {
    if (!value.is_none()) decoder.mismatch("None", value);
    return {};
  }
};

template <class... Ts>
struct Codec<std::variant<Ts...>> {
  using Variant = std::variant<Ts...>;
  static constexpr bool nullable = (Nullable<Ts> || ...);
  static constexpr KindSet kinds = (kinds_of<Ts>() | ... | KindSet(Kind::dict));
  static void describe_type(TypeDescriber& type) { type.variant<Ts...>(); }

  static Value encode(const Variant& variant, Encoder& encoder) {
    if (variant.valueless_by_exception())
      encoder.fail(ErrorCode::invalid_argument, "a std::variant is valueless");
    return detail::tag_variant(encode_alternative<0>(variant, encoder), variant.index(),
                               detail::alternatives<Ts...>);
  }

  static Variant decode(const Value& value, Decoder& decoder) {
    const detail::VariantContent content =
        detail::read_variant(value, detail::alternatives<Ts...>, decoder);
    return decode_alternative<0>(content, decoder);
  }

 private:
  template <std::size_t I>
  static Value encode_alternative(const Variant& variant, Encoder& encoder) {
    if constexpr (I + 1 < sizeof...(Ts))
      if (variant.index() != I) return encode_alternative<I + 1>(variant, encoder);
    return encoder.encode(*std::get_if<I>(&variant));
  }

  template <std::size_t I>
  static Variant decode_alternative(const detail::VariantContent& content, Decoder& decoder) {
    if constexpr (I + 1 < sizeof...(Ts))
      if (content.index != I) return decode_alternative<I + 1>(content, decoder);
    return Variant(std::in_place_index<I>,
                   decoder.decode<std::variant_alternative_t<I, Variant>>(*content.value));
  }
};

}  // namespace safestructures::inline v0
