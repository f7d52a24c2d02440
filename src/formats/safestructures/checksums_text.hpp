/// \file
/// The text of a file's checksums, made from known checksums of its tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safetensors/reader.hpp>

namespace safestructures::inline v0::checksums {

/// A tensor in the file and the XXH3-64 of its bytes there.
struct Known {
  std::string_view name;
  DType dtype;
  const Shape* shape;
  std::uint64_t hash;
};

/// Returns what `make` does, from known tensors. \throws Error `invalid_utf8`
[[nodiscard]] std::string text_of(std::vector<Known> tensors, const Metadata& metadata);

/// Whether a file has checksums, be it under another key, which `verify` refuses: damage to their
/// key must not make them user's metadata, and the file one that never had any.
[[nodiscard]] bool are_in(const safetensors::File& file);

}  // namespace safestructures::inline v0::checksums
