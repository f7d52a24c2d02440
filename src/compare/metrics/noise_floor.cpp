#include "compare/metrics/noise_floor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "compare/metrics/totals.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Returns half a step of the sides' dtype at a magnitude: the best that rounding can do.
double half_step(const std::optional<Grid>& grid, double magnitude) {
  return grid && magnitude > 0 ? grid->spacing(magnitude) / 2 : 0;
}

}  // namespace

Distance distance_in(const TensorMetrics& found) {
  return {found.max_absolute, found.rmse, found.relative_l2,
          found.compared != 0 || found.count == 0};
}

double DistancesToRun::least_rmse() const {
  const Distance& nearer = of_a.rmse < of_b.rmse ? of_a : of_b;
  return nearer.is_known ? nearer.rmse : HUGE_VAL;
}

NoiseOfTensor::NoiseOfTensor(const std::optional<Grid>& a, const std::optional<Grid>& b) {
  if (!a || !b) return;
  grid_ = coarser(*a, *b);
  most_digits_ = std::max(a->fraction_bits, b->fraction_bits);
}

void NoiseOfTensor::add(const DistancesToRun& run) {
  const Distance& nearer = run.of_a.rmse < run.of_b.rmse ? run.of_a : run.of_b;
  if (!nearer.is_known) return;
  // Rounding to fewer digits changes far more than the noise that is measured.
  if (grid_ && run.grid && run.grid->fraction_bits < grid_->fraction_bits) return;
  ++floor_.runs;
  floor_.max_absolute = std::max(floor_.max_absolute, nearer.max_absolute);
  floor_.rmse = std::max(floor_.rmse, nearer.rmse);
  if (nearer.relative_l2)
    floor_.relative_l2 = std::max(floor_.relative_l2.value_or(0), *nearer.relative_l2);
  floor_.is_precise =
      floor_.is_precise || (grid_ && run.grid && run.grid->fraction_bits > most_digits_);
}

std::optional<NoiseFloor> NoiseOfTensor::floor(const TensorMetrics& between, double factor) const {
  if (floor_.runs == 0) return std::nullopt;
  NoiseFloor floor = floor_;
  const auto numbers =
      static_cast<double>(std::max<std::uint64_t>(between.compared, 1) * floor.runs);
  floor.factor = factor * (1 + 4 / std::sqrt(numbers));
  double least_rmse = floor.rmse;
  double least_max = floor.max_absolute;
  double step = 0;
  if (floor.is_precise) {
    least_rmse =
        std::max(least_rmse, half_step(grid_, rms_of_norm(between.norm_b, between.compared)));
    if (between.ulp && between.ulp->at_peak > 0) step = between.max_absolute / between.ulp->at_peak;
    least_max = std::max(least_max, step / 2);
  }
  // Rounding errors are bounded, but those of long sums have a long tail: with another order of
  // summation, the largest difference was 4.3 times the noise, and the root mean square 2.4 times.
  least_max += std::max(floor.max_absolute - step, 0.0);
  const auto beside = [&](double difference, double least) -> std::optional<double> {
    if (difference == 0) return 0;
    if (least == 0) return std::nullopt;
    return difference / (floor.factor * least);
  };
  const auto by_rmse = beside(between.rmse, least_rmse);
  const auto by_max = beside(between.max_absolute, least_max);
  if (by_rmse && by_max) floor.excess = std::max(*by_rmse, *by_max);
  return floor;
}

NoiseVerdict verdict_of(const NoiseFloor& floor, const ToleranceVerdict& by_tolerance) {
  const bool is_within = by_tolerance.is_within;
  if (floor.is_within()) return is_within ? NoiseVerdict::as_without : NoiseVerdict::excused;
  if (!is_within || !floor.is_precise || by_tolerance.is_given) return NoiseVerdict::as_without;
  return NoiseVerdict::beyond;
}

bool is_as_large_as_numbers(const NoiseFloor& floor) {
  constexpr double as_large = 0.5;
  return floor.relative_l2.value_or(HUGE_VAL) >= as_large;
}

const char* text_of(NoiseVerdict verdict) {
  switch (verdict) {
    case NoiseVerdict::excused: return "no further apart than the noise";
    case NoiseVerdict::beyond: return "within the tolerance, but beyond the noise";
    default: return "";
  }
}

}  // namespace safestructures::inline v0::comparing
