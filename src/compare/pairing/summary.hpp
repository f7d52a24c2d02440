/// \file
/// Tensors of which one side has the statistics alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/tools/sketch.hpp>
#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::comparing {

/// What `statistics_value` keeps of a tensor.
struct Summary {
  DType dtype = DType::F32;
  std::vector<std::uint64_t> shape;
  TensorStatistics statistics;
  std::optional<TensorSketch> sketch;  ///< Recordings of earlier versions have none.
};

/// Nothing where a value is no statistics, or has not all of them.
std::optional<Summary> summary_of(const Value& value);

/// What a tensor's statistics are.
Summary summary_of(const Tensor& tensor);

/// What the two say of the tensors' distance.
/// \param proof what proves that they differ beyond the tolerance, in words; empty where nothing
/// does
StatisticsMetrics compare_summaries(const Summary& a, const Summary& b, const Tolerance& tolerance,
                                    std::string& proof);

}  // namespace safestructures::inline v0::comparing
