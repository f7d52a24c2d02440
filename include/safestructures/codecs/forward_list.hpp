/// \file
/// Codec of std::forward_list: a list.
#pragma once

#include <cstddef>
#include <forward_list>

#include <safestructures/codecs/sequences.hpp>
#include <safestructures/data/codec.hpp>

namespace safestructures::inline v0 {

template <class T, class Allocator>
struct Codec<std::forward_list<T, Allocator>> : ListCodec<std::forward_list<T, Allocator>> {
  static std::forward_list<T, Allocator> decode(const Value& value, Decoder& decoder) {
    Items items(value, decoder);
    std::forward_list<T, Allocator> list;
    auto last = list.before_begin();
    for (std::size_t i = 0; i < items.size(); ++i)
      last = list.insert_after(last, decoder.decode_at<T>(i, items[i]));
    return list;
  }
};

}  // namespace safestructures::inline v0
