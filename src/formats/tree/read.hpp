/// \file
/// Reads a structure from JSON, MessagePack or CBOR.
#pragma once

#include <safestructures/formats/format.hpp>
#include "formats/tree/input.hpp"

namespace safestructures::inline v0::tree {

/// \throws Error `checksum_mismatch` if the options ask for checksums, which no tree has
void refuse_checksums(const LoadOptions& options);

/// \param source the source that the input reads
Content read(Input& input, const Source& source, const LoadOptions& options);

}  // namespace safestructures::inline v0::tree
