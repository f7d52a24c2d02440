/// \file
/// Wrappers of formats that count what is written or change what is read.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>
#include "cli/console/progress.hpp"

namespace safestructures::cli {

/// Returns the format, which reports every byte that it writes to `progress`. \param progress
/// outlives it
std::shared_ptr<const Format> counted_by(Progress& progress, std::shared_ptr<const Format> format);

/// Returns the format, with NumPy's type name in place of torch's and JAX's on the tensors it
/// reads.
std::shared_ptr<const Format> with_numpy_names(std::shared_ptr<const Format> format);

}  // namespace safestructures::cli
