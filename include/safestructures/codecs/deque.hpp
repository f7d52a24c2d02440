/// \file
/// Codec of std::deque: a list, as its items do not lie together in memory.
#pragma once

#include <deque>

#include <safestructures/codecs/sequences.hpp>

namespace safestructures::inline v0 {

template <class T, class Allocator>
struct Codec<std::deque<T, Allocator>> : ListCodec<std::deque<T, Allocator>> {};

}  // namespace safestructures::inline v0
