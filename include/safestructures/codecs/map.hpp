/// \file
/// Codecs of std::map and std::multimap, in order: a dict, and a list of (key, value) tuples.
#pragma once

#include <map>

#include <safestructures/codecs/keyed.hpp>

namespace safestructures::inline v0 {

template <class Key, class T, class Compare, class Allocator>
struct Codec<std::map<Key, T, Compare, Allocator>>
    : MapCodec<std::map<Key, T, Compare, Allocator>, Order::keep, false> {};

template <class Key, class T, class Compare, class Allocator>
struct Codec<std::multimap<Key, T, Compare, Allocator>>
    : MapCodec<std::multimap<Key, T, Compare, Allocator>, Order::keep, true> {};

}  // namespace safestructures::inline v0
