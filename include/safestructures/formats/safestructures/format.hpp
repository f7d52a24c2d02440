/// \file
/// The default format: a safetensors file whose metadata holds the schema of the structure.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// A safetensors file with a schema, as in Python's package `safestructures` 1.0.0. Files without a
/// schema are read too, and sharded ones through their `.index.json`. docs/format.md is the
/// specification. `Content::container` is a `safetensors::File`.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& safestructures();

}  // namespace safestructures::inline v0::formats
