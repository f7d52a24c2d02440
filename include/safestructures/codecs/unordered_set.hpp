/// \file
/// Codecs of std::unordered_set and std::unordered_multiset, sorted: a set and a list.
#pragma once

#include <unordered_set>

#include <safestructures/codecs/keyed.hpp>

namespace safestructures::inline v0 {

template <class T, class Hash, class Equal, class Allocator>
struct Codec<std::unordered_set<T, Hash, Equal, Allocator>>
    : SetCodec<std::unordered_set<T, Hash, Equal, Allocator>, Order::sort, false> {};

template <class T, class Hash, class Equal, class Allocator>
struct Codec<std::unordered_multiset<T, Hash, Equal, Allocator>>
    : SetCodec<std::unordered_multiset<T, Hash, Equal, Allocator>, Order::sort, true> {};

}  // namespace safestructures::inline v0
