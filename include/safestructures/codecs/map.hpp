/// \file
/// Codecs of std::map and std::multimap, in their order: a dict, and a list of (key, value) tuples.
#pragma once

#include <map>

#include <safestructures/codecs/keyed.hpp>

namespace safestructures {

template <class Key, class T, class Compare, class Allocator>
struct Codec<std::map<Key, T, Compare, Allocator>>
    : detail::MapCodec<std::map<Key, T, Compare, Allocator>, detail::Order::keep, false> {};

template <class Key, class T, class Compare, class Allocator>
struct Codec<std::multimap<Key, T, Compare, Allocator>>
    : detail::MapCodec<std::multimap<Key, T, Compare, Allocator>, detail::Order::keep, true> {};

}  // namespace safestructures
