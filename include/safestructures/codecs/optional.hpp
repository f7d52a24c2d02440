/// \file
/// Codec of std::optional: None, or the value. An engaged optional of something that can be None
/// itself is a tuple of one where it would read otherwise.
#pragma once

#include <optional>

#include <safestructures/codecs/kinds.hpp>

namespace safestructures {

template <class T>
struct Codec<std::optional<T>> {
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = detail::Nullable<T>
                                       ? detail::kinds_of<T>() | Kind::none | Kind::tuple
                                       : detail::kinds_of<T>() | Kind::none;

  static Value encode(const std::optional<T>& optional, Encoder& encoder) {
    if (!optional) return {};
    if constexpr (detail::Nullable<T>) return detail::mark_engaged(encoder.encode(*optional));
    else return encoder.encode(*optional);
  }

  static std::optional<T> decode(const Value& value, Decoder& decoder) {
    if (value.is_none()) return std::nullopt;
    if constexpr (detail::Nullable<T>) return decoder.decode<T>(detail::unmark_engaged(value));
    else return decoder.decode<T>(value);
  }
};

}  // namespace safestructures
