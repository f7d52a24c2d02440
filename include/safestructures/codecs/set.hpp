/// \file
/// Codecs of std::set and std::multiset, in order: a set and a list.
#pragma once

#include <set>

#include <safestructures/codecs/keyed.hpp>

namespace safestructures::inline v0 {

template <class T, class Compare, class Allocator>
struct Codec<std::set<T, Compare, Allocator>>
    : SetCodec<std::set<T, Compare, Allocator>, Order::keep, false> {};

template <class T, class Compare, class Allocator>
struct Codec<std::multiset<T, Compare, Allocator>>
    : SetCodec<std::multiset<T, Compare, Allocator>, Order::keep, true> {};

}  // namespace safestructures::inline v0
