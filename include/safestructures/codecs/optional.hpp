/// \file
/// Codec of std::optional: None, or the value. If the value may itself be None, it is put into a
/// tuple of one where it would otherwise be ambiguous.
#pragma once

#include <optional>

#include <safestructures/codecs/holders.hpp>

namespace safestructures::inline v0 {

template <class T>
struct Codec<std::optional<T>> : HolderCodec<std::optional<T>, T> {};

}  // namespace safestructures::inline v0
