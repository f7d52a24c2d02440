/// \file
/// The noise of one tensor, from how far it is from the same in further runs.
#pragma once

#include <optional>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/metrics.hpp>
#include <safestructures/compare/options.hpp>
#include "compare/metrics/ulp.hpp"

namespace safestructures::inline v0::comparing {

/// How far two tensors are apart.
struct Distance {
  double max_absolute = 0;
  double rmse = 0;
  std::optional<double> relative_l2;
  bool is_known = true;  ///< Not where there are numbers, and none that is finite in both.
};

/// That of `compare_tensors`.
[[nodiscard]] Distance distance_in(const TensorMetrics& found);

/// What is between two tensors and that of a further run.
struct DistancesToRun {
  Distance of_a;
  Distance of_b;
  std::optional<Grid> grid;  ///< Of the run's.

  /// To the nearer; infinite where nothing is known of it.
  [[nodiscard]] double least_rmse() const;
};

/// Takes the distances of one tensor to that of each further run.
class NoiseOfTensor {
 public:
  /// \param a, b the grids of the two sides; nothing where one has none
  NoiseOfTensor(const std::optional<Grid>& a, const std::optional<Grid>& b);

  /// Adds a run, unless it has fewer digits than the sides.
  void add(const DistancesToRun& run);
  /// The floor, nothing where no run has the tensor. \param between the two sides
  /// \param factor `CompareOptions::noise_factor`
  [[nodiscard]] std::optional<NoiseFloor> floor(const TensorMetrics& between, double factor) const;

 private:
  std::optional<Grid> grid_;  // The coarser.
  unsigned most_digits_ = 0;  // Bits of fraction in the finer.
  NoiseFloor floor_;
};

/// What a floor makes of a pair of which all that is not finite is so in both.
enum class NoiseVerdict {
  as_without,  ///< What the tolerance says.
  excused,     ///< No difference, though beyond the tolerance.
  beyond,      ///< A difference, though within the tolerance.
};
/// \param is_given whether the call says the tolerance, which a default never overrules
[[nodiscard]] NoiseVerdict verdict_of(const NoiseFloor& floor, bool is_within, bool is_given);
/// Whether the noise is half as large as the numbers, or larger: whatever they are is excused.
[[nodiscard]] bool is_as_large_as_numbers(const NoiseFloor& floor);
/// What a row says of it; empty where there is nothing to say.
[[nodiscard]] const char* text_of(NoiseVerdict verdict);

}  // namespace safestructures::inline v0::comparing
