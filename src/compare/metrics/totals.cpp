#include "compare/metrics/totals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/bounded.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using Wide = Sums::Wide;
using detail::bounded;

constexpr double largest = std::numeric_limits<double>::max();

UlpMetrics ulp_of(const Totals& totals, const Grid& grid) {
  UlpMetrics ulp{
      .dtype = grid.dtype, .max = totals.max_ulp, .binade = std::uint64_t{1} << grid.fraction_bits};
  if (totals.largest_b != 0)
    ulp.at_peak = std::min(totals.max_absolute / grid.spacing(totals.largest_b), largest);
  const unsigned bits = totals.common_bits;
  ulp.p99 = bits == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
  ulp.p99 = std::min(ulp.p99, totals.max_ulp);
  return ulp;
}

}  // namespace

Sums& Sums::operator+=(const Sums& other) {
  errors += other.errors;
  absolute += other.absolute;
  squares += other.squares;
  a_squares += other.a_squares;
  b_squares += other.b_squares;
  square_difference += other.square_difference;
  return *this;
}

Sums sums_of(const BlockSums& block) {
  return {block.errors,    block.absolute,  block.squares,
          block.a_squares, block.b_squares, block.square_difference};
}

double relative_l2_of(Wide squares, Wide b_squares) {
  // Wide square roots take four times as long, and the squares of floats are all in this range.
  constexpr double least = 0x1p-500;
  constexpr double most = 0x1p500;
  const auto over = static_cast<double>(squares);
  const auto under = static_cast<double>(b_squares);
  if (over > least && over < most && under > least && under < most) return std::sqrt(over / under);
  return bounded(std::sqrt(squares) / std::sqrt(b_squares));
}

double rms_of(Wide squares, std::uint64_t count) {
  return bounded(std::sqrt(squares / static_cast<Wide>(count)));
}

double rms_of_norm(double norm, std::uint64_t count) {
  return norm / std::sqrt(static_cast<double>(std::max<std::uint64_t>(count, 1)));
}

TensorMetrics metrics_of(const Totals& totals) {
  TensorMetrics found;
  found.count = totals.count;
  found.compared = totals.compared;
  found.differing = totals.differing;
  found.beyond = totals.beyond;
  found.tolerance = totals.tolerance;
  found.non_finite = totals.non_finite;
  found.max_absolute = totals.max_absolute;
  // With an absolute tolerance, only the quotient is beyond every double.
  if (std::isfinite(totals.max_ratio) || totals.tolerance.atol > 0)
    found.max_ratio = std::min(totals.max_ratio, largest);
  if (totals.compared == 0) return found;

  const Sums& sums = totals.sums;
  const auto n = static_cast<Wide>(totals.compared);
  const Wide norm_a = std::sqrt(sums.a_squares);
  const Wide norm_b = std::sqrt(sums.b_squares);
  found.mean_error = bounded(sums.errors / n);
  found.mean_absolute = bounded(sums.absolute / n);
  found.rmse = rms_of(sums.squares, totals.compared);
  found.norm_a = bounded(norm_a);
  found.norm_b = bounded(norm_b);
  if (totals.differing == 0) {
    found.snr_state = SnrState::exact;
    found.relative_l2 = 0;
    found.max_relative = 0;
  } else if (norm_b == 0) {
    found.snr_state = SnrState::zero_reference;
  } else {
    found.snr_state = SnrState::number;
    found.relative_l2 = relative_l2_of(sums.squares, sums.b_squares);
    // Adding 0 avoids -0.
    found.snr = static_cast<double>(-20 * std::log10(std::sqrt(sums.squares) / norm_b) + 0);
    found.max_relative = std::min(totals.max_relative, largest);
  }
  if (norm_b != 0) found.norm_ratio = bounded(norm_a / norm_b);
  if (norm_a != 0 && norm_b != 0) {
    // 2 (1 - cos) |a| |b| = |a - b|^2 - (|a| - |b|)^2.
    const Wide apart = sums.square_difference / (norm_a + norm_b);
    const Wide distance = (sums.squares - apart * apart) / (2 * norm_a * norm_b);
    found.cosine_distance = static_cast<double>(std::clamp<Wide>(distance, 0, 2));
    found.cosine = static_cast<double>(1 - std::clamp<Wide>(distance, 0, 2));
  }
  if (totals.grid) found.ulp = ulp_of(totals, *totals.grid);
  return found;
}

}  // namespace safestructures::inline v0::comparing
