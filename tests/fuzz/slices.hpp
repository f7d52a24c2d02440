/// \file
/// Slices of tensors.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <safestructures/data/slice.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/safetensors.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

/// The first byte is the rank, the next are the sizes, the rest is the text.
inline void slices(Bytes bytes) {
  Reader reader(bytes);
  std::vector<std::uint64_t> sizes(reader.byte() % 5U);
  for (std::uint64_t& size : sizes) size = reader.byte() % 7U;
  ss::Tensor tensor =
      ss::Tensor::allocate(ss::DType::U16, ss::Shape(std::span<const std::uint64_t>(sizes)));
  const auto elements = tensor.mutable_data<std::uint16_t>();
  std::iota(elements.begin(), elements.end(), std::uint16_t{0});
  expect_errors([&] {
    const std::vector<ss::Slice> parts = ss::parse_slices(text_of(reader.rest()));
    const ss::Tensor part = tensor.slice(parts);
    require(part.size() <= tensor.size(), "a part is larger than the whole");
    const ss::Tensor packed = part.contiguous();
    require(packed == part, "a packed part has other elements");
    for (const std::uint16_t element : packed.data<std::uint16_t>())
      require(element < tensor.size(), "an element from outside");
    // A part of the part, in the same way.
    if (part.rank() == tensor.rank()) require(part.slice(parts).size() <= part.size(), "grown");
  });
}

}  // namespace fuzz
