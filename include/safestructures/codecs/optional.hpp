/// \file
/// Codec of std::optional: None, or the value. An engaged optional of something that can be None
/// itself is a tuple of one where it would read otherwise.
#pragma once

#include <optional>

#include <safestructures/codecs/holders.hpp>

namespace safestructures::inline v0 {

template <class T>
struct Codec<std::optional<T>> : HolderCodec<std::optional<T>, T> {};

}  // namespace safestructures::inline v0
