/// \file
/// Which records make an error, and which pass on what came in.
#pragma once

#include <safestructures/compare/comparison.hpp>
#include <safestructures/recording/recording.hpp>

namespace safestructures::inline v0::comparing {

/// Says of the rows of recordings how their error is beside what went in, and names the culprits.
/// \param run the first recording, in whose order the rows are
void trace_errors(Comparison& comparison, const Recording& run);

}  // namespace safestructures::inline v0::comparing
