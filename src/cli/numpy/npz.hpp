/// \file
/// NumPy's `.npz` archives: arrays by name.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>

namespace safestructures::cli {

/// The format `npz`: a dict of arrays. Numbers and text are arrays without dimensions; what NumPy
/// has no array for is refused, pickled objects among it.
const std::shared_ptr<const Format>& npz();

}  // namespace safestructures::cli
