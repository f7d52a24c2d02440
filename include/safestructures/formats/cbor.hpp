/// \file
/// CBOR: any structure in the binary format of RFC 8949.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// CBOR (`.cbor`), as `messagepack()` in every other respect, but that integers of any size stand
/// for themselves and nothing is too large. A file begins with the tag of CBOR (55799), by which it
/// is told; others that do not are told by their extension.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& cbor();

}  // namespace safestructures::inline v0::formats
