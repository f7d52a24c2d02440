/// \file
/// What is allowed between two tensors where nothing else is said.
#pragma once

#include <safestructures/compare/metrics.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::comparing {

/// The looser of each number.
Tolerance looser(const Tolerance& a, const Tolerance& b);

/// The looser of each number of `default_tolerance`.
Tolerance usual_tolerance(DType a, DType b, const RecordedDTypes& recorded);

}  // namespace safestructures::inline v0::comparing
