/// \file
/// Formats that do more than their own: what is written is counted, what is read is changed.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>
#include "cli/console/progress.hpp"

namespace safestructures::cli {

/// The format, telling `progress` of every byte that it writes. \param progress outlives it
std::shared_ptr<const Format> counted_by(Progress& progress, std::shared_ptr<const Format> format);

/// The format, giving the tensors that it reads NumPy's type name in place of torch's and JAX's.
std::shared_ptr<const Format> with_numpy_names(std::shared_ptr<const Format> format);

}  // namespace safestructures::cli
