/// \file
/// Compares tensors of which one side or both have only the statistics.
#pragma once

#include <string>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::comparing {

/// What statistics tell about two tensors.
struct StatisticsComparison {
  StatisticsMetrics metrics;
  /// What proves a difference beyond the tolerance, in words; empty if nothing does.
  std::string proof;
};

/// Compares the statistics of two tensors of the same shape.
[[nodiscard]] StatisticsComparison compare_statistics(const KeptStatistics& a,
                                                      const KeptStatistics& b,
                                                      const Tolerance& tolerance);

}  // namespace safestructures::inline v0::comparing
