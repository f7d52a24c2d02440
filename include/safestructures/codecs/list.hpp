/// \file
/// Codec of std::list: a list, as its items do not lie together in memory.
#pragma once

#include <list>

#include <safestructures/codecs/sequences.hpp>

namespace safestructures::inline v0 {

template <class T, class Allocator>
struct Codec<std::list<T, Allocator>> : ListCodec<std::list<T, Allocator>> {};

}  // namespace safestructures::inline v0
