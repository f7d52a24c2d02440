/// \file
/// The error of formats that have no checksums.
#pragma once

#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::detail {

/// \throws Error `checksum_mismatch` if the options ask for checksums
void refuse_checksums(const LoadOptions& options);

}  // namespace safestructures::inline v0::detail
