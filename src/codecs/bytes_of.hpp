/// \file
/// Bytes that are numbers in a list.
#pragma once

#include <cstdint>
#include <vector>

#include <safestructures/codecs/vector.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// Returns bytes that are a list in the file, as JSON of other programs has them, or a tuple, which
/// tensors become as keys or items of a set.
/// \throws Error with the path of what is no number from 0 to 255
inline Tensor bytes_of(const Value& numbers, const Decoder& decoder) {
  try {
    return Tensor::own(numbers.as<std::vector<std::uint8_t>>({.overflow = decoder.overflow()}));
  } catch (const Error& error) {
    throw error.with_parent_path(decoder.path());
  }
}

}  // namespace safestructures::inline v0::detail
