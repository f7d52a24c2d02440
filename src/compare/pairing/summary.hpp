/// \file
/// Compares tensors if one side has only their statistics.
#pragma once

#include <optional>
#include <string>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::comparing {

/// Returns null if a value is not a complete set of statistics.
std::optional<KeptStatistics> summary_of(const Value& value);

/// Computes the statistics of a tensor.
KeptStatistics summary_of(const Tensor& tensor);

/// Returns what the statistics tell about the tensors' distance.
/// \param proof set to the text of what proves a difference beyond the tolerance; empty if nothing
/// does
StatisticsMetrics compare_summaries(const KeptStatistics& a, const KeptStatistics& b,
                                    const Tolerance& tolerance, std::string& proof);

}  // namespace safestructures::inline v0::comparing
