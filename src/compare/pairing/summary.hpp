/// \file
/// Tensors of which one side has the statistics alone.
#pragma once

#include <optional>
#include <string>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::comparing {

/// Nothing where a value is no statistics, or has not all of them.
std::optional<KeptStatistics> summary_of(const Value& value);

/// What a tensor's statistics are.
KeptStatistics summary_of(const Tensor& tensor);

/// What the two say of the tensors' distance.
/// \param proof what proves that they differ beyond the tolerance, in words; empty where nothing
/// does
StatisticsMetrics compare_summaries(const KeptStatistics& a, const KeptStatistics& b,
                                    const Tolerance& tolerance, std::string& proof);

}  // namespace safestructures::inline v0::comparing
