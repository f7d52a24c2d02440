/// \file
/// NumPy's `.npz` archives: arrays by name.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>

namespace safestructures::cli {

/// Returns the format `npz`: a dict of arrays. Numbers and text are arrays without dimensions;
/// everything that NumPy has no array for is refused, including pickled objects.
const std::shared_ptr<const Format>& npz();

}  // namespace safestructures::cli
