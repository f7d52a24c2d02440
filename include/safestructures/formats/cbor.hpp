/// \file
/// CBOR: any structure in the binary format of RFC 8949.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// CBOR (`.cbor`), like `messagepack()` except that integers of any size have a natural form and
/// there is no size limit. Files begin with the CBOR tag (55799), by which they are recognised;
/// files without it are recognised by their extension.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& cbor();

}  // namespace safestructures::inline v0::formats
