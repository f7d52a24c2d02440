/// \file
/// Reads a structure from JSON, MessagePack or CBOR.
#pragma once

#include <safestructures/formats/format.hpp>
#include "formats/tree/input.hpp"

namespace safestructures::inline v0::tree {

/// \param source the source that the input reads
Content read(Input& input, const Source& source, const LoadOptions& options);

}  // namespace safestructures::inline v0::tree
