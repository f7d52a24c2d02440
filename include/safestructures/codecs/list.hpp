/// \file
/// Codec of std::list: a list, because its items are not contiguous in memory.
#pragma once

#include <list>

#include <safestructures/codecs/sequences.hpp>

namespace safestructures::inline v0 {

template <class T, class Allocator>
struct Codec<std::list<T, Allocator>> : ListCodec<std::list<T, Allocator>> {};

}  // namespace safestructures::inline v0
