/// \file
/// Codec of std::span, for saving only: a loaded span would have no memory to view.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <safestructures/codecs/array.hpp>
#include <safestructures/codecs/vector.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// Saved like a std::vector of the same items.
template <class T, std::size_t Extent>
struct Codec<std::span<T, Extent>> {
  using Item = std::remove_cv_t<T>;
  static constexpr KindSet kinds = Block<Item>              ? KindSet(Kind::tensor)
                                   : detail::ByteLike<Item> ? KindSet(Kind::bytes)
                                   : detail::CharLike<Item> ? detail::char_kinds
                                                            : KindSet(Kind::list);
  static void describe_type(TypeDescriber& type) { type.same_as<std::vector<Item>>(); }
  static Value encode(std::span<const T> span, Encoder& encoder) {
    static_cast<void>(encoder);
    if constexpr (Block<Item>) return detail::encode_blocks(span.data(), span.size());
    else if constexpr (detail::ByteLike<Item>)
      return detail::encode_bytes(span.data(), span.size());
    else if constexpr (detail::CharLike<Item>)
      return detail::encode_chars({span.data(), span.size()});
    else return detail::encode_list(std::span<const Item>(span), encoder);
  }
};

}  // namespace safestructures::inline v0
