/// \file
/// The noise of one tensor, derived from its distances to the same tensor in further runs.
#pragma once

#include <optional>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/metrics.hpp>
#include <safestructures/compare/options.hpp>
#include "compare/metrics/ulp.hpp"

namespace safestructures::inline v0::comparing {

/// The distance between two tensors.
struct Distance {
  double max_absolute = 0;
  double rmse = 0;
  std::optional<double> relative_l2;
  bool is_known = true;  ///< False if there are numbers, but none that is finite in both.
};

/// Returns the distance that `compare_tensors` found.
[[nodiscard]] Distance distance_in(const TensorMetrics& found);

/// The distances of both sides to one further run.
struct DistancesToRun {
  Distance of_a;
  Distance of_b;
  std::optional<Grid> grid;  ///< The run's grid.

  /// Returns the RMSE to the nearer side; infinite if unknown.
  [[nodiscard]] double least_rmse() const;
};

/// Collects the distances of one tensor to each further run.
class NoiseOfTensor {
 public:
  /// \param a, b the grids of the two sides; null for a side without one
  NoiseOfTensor(const std::optional<Grid>& a, const std::optional<Grid>& b);

  /// Adds a run, unless its dtype is less precise than the sides'.
  void add(const DistancesToRun& run);
  /// Returns the floor; null if no run has the tensor. \param between the two sides
  /// \param factor `CompareOptions::noise_factor`
  [[nodiscard]] std::optional<NoiseFloor> floor(const TensorMetrics& between, double factor) const;

 private:
  std::optional<Grid> grid_;  // The coarser one.
  unsigned most_digits_ = 0;  // Fraction bits of the finer one.
  NoiseFloor floor_;
};

/// How a noise floor changes the verdict on a pair whose non-finite numbers agree.
enum class NoiseVerdict {
  as_without,  ///< The tolerance decides.
  excused,     ///< Not a difference, although beyond the tolerance.
  beyond,      ///< A difference, although within the tolerance.
};
/// What the tolerance says about a pair.
struct ToleranceVerdict {
  bool is_within = true;
  bool is_given = false;  ///< Whether the caller set it; if so, nothing within becomes `beyond`.
};
[[nodiscard]] NoiseVerdict verdict_of(const NoiseFloor& floor,
                                      const ToleranceVerdict& by_tolerance);
/// Whether the noise is at least half as large as the numbers, so that any numbers are excused.
[[nodiscard]] bool is_as_large_as_numbers(const NoiseFloor& floor);
/// Returns the row's text about it; empty if there is nothing to say.
[[nodiscard]] const char* text_of(NoiseVerdict verdict);

}  // namespace safestructures::inline v0::comparing
