/// \file
/// Codec of std::variant.
///
/// Loading gives the alternative that was saved, exactly:
///  - An alternative that makes kinds of Value which no other one makes is saved as it is, as are
///    types with a `type_name`; std::monostate is None.
///  - Of several that make the same kind, a list, tuple, set, dict, struct or tensor carries the
///    attribute "variant": the index of the alternative.
///  - A scalar, which has no attributes, becomes a dict {"variant": index, "value": scalar}; so does
///    what has such an attribute, or looks like such a dict, already.
///
/// Without a tag, as in files of other origin, the value's kind decides: the first alternative that
/// makes just this kind (of structs the one of that class name), else the first that can load it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <safestructures/codecs/kinds.hpp>

namespace safestructures {
namespace detail {

/// What tells one alternative of a variant from another.
struct Alternative {
  KindSet kinds;
  std::string_view type_name;  ///< Of a custom value or a struct; empty if there is none.
  bool is_tagged = false;      ///< Another alternative may make the same.
};

/// The value with its tag. Not for alternatives that need none.
SAFESTRUCTURES_API Value tag_variant(Value value, std::size_t index, bool is_tagged);

struct VariantContent {
  std::size_t index;
  const Value* value;
};
/// Which alternative to load from what.
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
consteval std::array<Alternative, sizeof...(Ts)> list_alternatives() {
  std::array<Alternative, sizeof...(Ts)> list{Alternative{kinds_of<Ts>(), alternative_name<Ts>()}...};
  const bool named[] = {NamedCodec<Ts>...};
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = 0; j < list.size(); ++j) {
      const bool distinct = named[i] && named[j] && list[i].type_name != list[j].type_name;
      if (i != j && !distinct && list[i].kinds.overlaps(list[j].kinds)) list[i].is_tagged = true;
    }
  }
  return list;
}

template <class... Ts>
inline constexpr auto alternatives = list_alternatives<Ts...>();

}  // namespace detail

template <class T>
  requires std::same_as<T, std::monostate>
struct Codec<T> {
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = Kind::none;
  static Value encode(const T&, Encoder&) { return {}; }
  static T decode(const Value& value, Decoder& decoder) {
    if (!value.is_none()) decoder.mismatch("None", value);
    return {};
  }
};

template <class... Ts>
struct Codec<std::variant<Ts...>> {
  using Variant = std::variant<Ts...>;
  static constexpr bool nullable = (detail::Nullable<Ts> || ...);
  static constexpr KindSet kinds = (detail::kinds_of<Ts>() | ... | KindSet(Kind::dict));

  static Value encode(const Variant& variant, Encoder& encoder) {
    if (variant.valueless_by_exception())
      encoder.fail(ErrorCode::invalid_argument, "a std::variant is valueless");
    const std::size_t index = variant.index();
    return detail::tag_variant(encode_alternative<0>(variant, encoder), index,
                               detail::alternatives<Ts...>[index].is_tagged);
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

}  // namespace safestructures
