/// \file
/// Codec of std::deque: a list, because its items are not contiguous in memory.
#pragma once

#include <deque>

#include <safestructures/codecs/sequences.hpp>

namespace safestructures::inline v0 {

template <class T, class Allocator>
struct Codec<std::deque<T, Allocator>> : ListCodec<std::deque<T, Allocator>> {};

}  // namespace safestructures::inline v0
