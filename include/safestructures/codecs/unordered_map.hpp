/// \file
/// Codecs of std::unordered_map and std::unordered_multimap, sorted: a dict, and a list of (key,
/// value) tuples.
#pragma once

#include <unordered_map>

#include <safestructures/codecs/keyed.hpp>

namespace safestructures::inline v0 {

template <class Key, class T, class Hash, class Equal, class Allocator>
struct Codec<std::unordered_map<Key, T, Hash, Equal, Allocator>>
    : MapCodec<std::unordered_map<Key, T, Hash, Equal, Allocator>, Order::sort, false> {};

template <class Key, class T, class Hash, class Equal, class Allocator>
struct Codec<std::unordered_multimap<Key, T, Hash, Equal, Allocator>>
    : MapCodec<std::unordered_multimap<Key, T, Hash, Equal, Allocator>, Order::sort, true> {};

}  // namespace safestructures::inline v0
