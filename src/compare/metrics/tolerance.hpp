/// \file
/// The default tolerance between two tensors.
#pragma once

#include <safestructures/compare/options.hpp>
#include "compare/metrics/tensor_pair.hpp"

namespace safestructures::inline v0::comparing {

/// Returns the larger value for each number of a tolerance.
Tolerance looser(const Tolerance& a, const Tolerance& b);

/// Returns the larger of each number of the two `default_tolerance`s.
Tolerance usual_tolerance(const BothDTypes& dtypes);

}  // namespace safestructures::inline v0::comparing
