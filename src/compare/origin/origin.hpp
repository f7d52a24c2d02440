/// \file
/// Finds which records introduce an error and which pass on an error of their input.
#pragma once

#include <safestructures/compare/comparison.hpp>
#include <safestructures/recording/recording.hpp>

namespace safestructures::inline v0::comparing {

/// Relates the error in each row to the error of its input, and names the culprits.
/// \param run the first recording, whose order the rows follow
void trace_errors(Comparison& comparison, const Recording& run);

}  // namespace safestructures::inline v0::comparing
