/// \file
/// The statistics that stand for a tensor.
#pragma once

#include <optional>

#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::comparing {

/// Returns null if a value is not a complete set of statistics.
std::optional<KeptStatistics> summary_of(const Value& value);

/// Computes the statistics of a tensor.
KeptStatistics summary_of(const Tensor& tensor);

}  // namespace safestructures::inline v0::comparing
