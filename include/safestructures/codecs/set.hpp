/// \file
/// Codecs of std::set and std::multiset, in their order: a set and a list.
#pragma once

#include <set>

#include <safestructures/codecs/keyed.hpp>

namespace safestructures {

template <class T, class Compare, class Allocator>
struct Codec<std::set<T, Compare, Allocator>>
    : detail::SetCodec<std::set<T, Compare, Allocator>, detail::Order::keep, false> {};

template <class T, class Compare, class Allocator>
struct Codec<std::multiset<T, Compare, Allocator>>
    : detail::SetCodec<std::multiset<T, Compare, Allocator>, detail::Order::keep, true> {};

}  // namespace safestructures
