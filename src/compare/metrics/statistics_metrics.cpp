#include "compare/metrics/statistics_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <safestructures/tools/sketch.hpp>
#include "compare/metrics/totals.hpp"
#include "data/bounded.hpp"

namespace safestructures::inline v0::comparing {
namespace {

// Its range holds the squares of all doubles.
using Wide = Sums::Wide;

/// Returns the share of the numbers that are in a different bin of the other side's histogram.
double histogram_distance(const TensorStatistics& a, const TensorStatistics& b) {
  double moved = std::abs(static_cast<double>(a.zeros) - static_cast<double>(b.zeros));
  for (std::size_t i = 0; i < TensorStatistics::bins; ++i)
    moved += std::abs(static_cast<double>(a.negative[i]) - static_cast<double>(b.negative[i])) +
             std::abs(static_cast<double>(a.positive[i]) - static_cast<double>(b.positive[i]));
  return moved / 2 / static_cast<double>(std::max<std::uint64_t>(b.finite(), 1));
}

/// Returns the largest difference of two quantiles relative to the range of most of b.
std::optional<double> quantile_distance(const TensorStatistics& a, const TensorStatistics& b) {
  if (!a.quantiles || !b.quantiles) return std::nullopt;
  double most = 0;
  for (std::size_t i = 0; i < a.quantiles->size(); ++i) {
    const double one = (*a.quantiles)[i];
    const double other = (*b.quantiles)[i];
    if (one != other) most = std::max(most, std::abs(one - other));
  }
  if (most == 0) return 0;
  const double range = (*b.quantiles)[b.quantiles->size() - 2] - (*b.quantiles)[1];
  const double share = most / range;
  return std::isfinite(range) && std::isfinite(share) ? std::optional(share) : std::nullopt;
}

double ratio(double over, double under) {
  return detail::bounded(static_cast<Wide>(over) / static_cast<Wide>(under));
}

/// Whether a norm is known: one beyond every double is kept as the largest.
bool is_known(double norm) { return norm < std::numeric_limits<double>::max(); }

/// Returns what the statistics say without a sketch.
StatisticsMetrics side_by_side(const TensorStatistics& a, const TensorStatistics& b,
                               const Tolerance& tolerance) {
  StatisticsMetrics found;
  found.count = b.count;
  found.tolerance = tolerance;
  found.norm_a = a.l2_norm;
  found.norm_b = b.l2_norm;
  if (b.l2_norm > 0) found.norm_ratio = ratio(a.l2_norm, b.l2_norm);
  found.mean_a = a.mean;
  found.mean_b = b.mean;
  found.standard_deviation_a = a.standard_deviation;
  found.standard_deviation_b = b.standard_deviation;
  found.min_a = a.min;
  found.min_b = b.min;
  found.max_a = a.max;
  found.max_b = b.max;
  found.histogram_distance = histogram_distance(a, b);
  found.quantile_distance = quantile_distance(a, b);
  return found;
}

/// Sets what two sketches of numbers at the same places tell, which are estimates.
/// \param is_other whether the numbers differ, even if the sums do not show it
void estimate(const TensorSketch& a, const TensorSketch& b, bool is_other,
              StatisticsMetrics& found) {
  const bool has_angle =
      found.norm_a > 0 && found.norm_b > 0 && is_known(found.norm_a) && is_known(found.norm_b);
  Wide error = 0;
  Wide angle = 0;
  for (std::size_t i = 0; i < TensorSketch::size; ++i) {
    const auto one = static_cast<Wide>(a.sums[i]);
    const auto other = static_cast<Wide>(b.sums[i]);
    error += (one - other) * (one - other);
    if (!has_angle) continue;
    const Wide apart =
        one / static_cast<Wide>(found.norm_a) - other / static_cast<Wide>(found.norm_b);
    angle += apart * apart;
  }
  // Sums beyond every double are infinite.
  if (!std::isfinite(error) || (is_other && error == 0)) return;
  found.distance = detail::bounded(std::sqrt(error));
  if (error == 0) found.relative_l2 = 0;
  else if (found.norm_b > 0 && is_known(found.norm_b))
    found.relative_l2 = ratio(*found.distance, found.norm_b);
  if (has_angle) found.cosine_distance = static_cast<double>(std::min<Wide>(angle / 2, 2));
}

/// Returns quantiles that are too far apart for numbers within the tolerance; empty if there are
/// none. If |a - b| <= atol + rtol |b| for all elements, and rtol <= 1, it also holds for sorted a
/// and b.
std::string quantile_proof(const TensorStatistics& a, const TensorStatistics& b,
                           const Tolerance& tolerance) {
  if (!a.quantiles || !b.quantiles || tolerance.rtol > 1) return {};
  constexpr double off = 1.0 / 32;
  for (std::size_t i = 0; i < a.quantiles->size(); ++i) {
    const double one = (*a.quantiles)[i];
    const double other = (*b.quantiles)[i];
    if (!std::isfinite(one) || !std::isfinite(other)) continue;
    const double allowed = tolerance.atol + tolerance.rtol * (1 + off) * std::abs(other) +
                           off * (std::abs(one) + std::abs(other)) +
                           std::numeric_limits<double>::min();
    if (!(std::abs(one - other) <= allowed))
      return fmt::format("quantile {} of {:.6g} and {:.6g}", TensorStatistics::probabilities[i],
                         one, other);
  }
  return {};
}

/// Compares in steps, of which the first that proves a difference gives the proof.
class StatisticsComparer {
 public:
  StatisticsComparer(const KeptStatistics& a, const KeptStatistics& b, const Tolerance& tolerance)
      : a_(a),
        b_(b),
        left_(a.statistics),
        right_(b.statistics),
        tolerance_(tolerance),
        is_complex_(a.dtype == DType::C64 || b.dtype == DType::C64),
        are_alike_((a.dtype == DType::C64) == (b.dtype == DType::C64)),
        found_{side_by_side(left_, right_, tolerance), {}} {}

  [[nodiscard]] StatisticsComparison result() && {
    compare_non_finite();
    compare_sketches();
    if (found_.metrics.has_same_hash.value_or(false)) return std::move(found_);
    compare_bounds();
    // The tolerance of complex numbers does not bound their sorted parts.
    if (found_.proof.empty() && !is_complex_)
      found_.proof = quantile_proof(left_, right_, tolerance_);
    compare_estimate();
    return std::move(found_);
  }

 private:
  void prove(bool is_so, const std::string& text) {
    if (is_so && found_.proof.empty()) found_.proof = text;
  }

  void compare_non_finite() {
    const auto is_other_count = [&](std::uint64_t one, std::uint64_t other) {
      return are_alike_ ? one != other : (one == 0) != (other == 0);
    };
    prove(is_other_count(left_.nan, right_.nan),
          fmt::format("{} and {} NaN", left_.nan, right_.nan));
    prove(is_other_count(left_.positive_infinities, right_.positive_infinities) ||
              is_other_count(left_.negative_infinities, right_.negative_infinities),
          fmt::format("{} and {} infinities", left_.positive_infinities + left_.negative_infinities,
                      right_.positive_infinities + right_.negative_infinities));
  }

  void compare_sketches() {
    if (!a_.sketch || !b_.sketch || !are_alike_) return;
    std::optional<bool>& has_same_hash = found_.metrics.has_same_hash;
    if (a_.dtype == b_.dtype) has_same_hash = a_.sketch->hash == b_.sketch->hash;
    // For floats the hash distinguishes 0.0 from -0.0.
    const bool is_other = a_.dtype == b_.dtype && !is_floating(a_.dtype) &&
                          a_.dtype != DType::C64 && tolerance_ == Tolerance{} && !*has_same_hash;
    // Both sketches are of numbers at the same places.
    if (found_.proof.empty()) estimate(*a_.sketch, *b_.sketch, is_other, found_.metrics);
    prove(is_other, "different hashes");
  }

  /// Compares extremes, means and norms. If |a - b| <= atol + rtol |b| for all elements, the same
  /// bound holds for these.
  void compare_bounds() {
    const double most = tolerance_.atol + tolerance_.rtol * peak_of_b() * modulus();
    const double root = root_of_b();
    const double mean = allowed_mean();
    if (are_alike_) {
      compare_bound("minimum", {left_.min, right_.min}, most, 0);
      compare_bound("maximum", {left_.max, right_.max}, most, 0);
      compare_bound("mean", {left_.mean, right_.mean}, mean, root);
    }
    compare_bound("L2 norm", {left_.l2_norm, right_.l2_norm},
                  mean * std::sqrt(static_cast<double>(count_of_b())), right_.l2_norm);
  }

  struct Both {
    double a;
    double b;
  };
  /// \param size of what was summed, whose rounding is allowed for
  void compare_bound(const char* what, const Both& both, double allowed, double size) {
    prove(both.a != both.b && !(std::abs(both.a - both.b) <= allowed + rounding * size),
          fmt::format("{} {:.6g} and {:.6g}", what, both.a, both.b));
  }

  void compare_estimate() {
    if (!found_.metrics.distance) return;
    // Four standard deviations of the estimate; for few numbers, the most that two numbers in one
    // sum can change it, which exceeds four deviations more often: in 50 of 20,000 tensors of 8
    // complex numbers.
    const double margin = right_.finite() < TensorSketch::size
                              ? std::numbers::sqrt2
                              : 1 + 4 * StatisticsMetrics::estimate_deviation;
    const double error = rms_of_norm(*found_.metrics.distance, count_of_b());
    prove(!(error <= margin * allowed_mean() + rounding * root_of_b()),
          fmt::format("an error of about {:.3g} in root mean square", error));
  }

  /// Returns how many numbers of b are compared: each real one also as the imaginary part 0, if a
  /// is complex.
  [[nodiscard]] std::uint64_t count_of_b() const {
    const bool has_parts_of_a = !are_alike_ && b_.dtype != DType::C64;
    return std::max<std::uint64_t>(right_.finite() * (has_parts_of_a ? 2 : 1), 1);
  }
  /// Returns the largest magnitude of b's numbers and parts.
  [[nodiscard]] double peak_of_b() const {
    return std::max(std::abs(right_.min), std::abs(right_.max));
  }
  /// Returns the root mean square of b, or an upper bound.
  [[nodiscard]] double root_of_b() const {
    return is_known(right_.l2_norm) ? rms_of_norm(right_.l2_norm, count_of_b()) : peak_of_b();
  }
  /// Returns how many times as large as the parts the moduli are, at most and in root mean square:
  /// the tolerance of a part is relative to the modulus.
  [[nodiscard]] double modulus() const { return is_complex_ ? std::numbers::sqrt2 : 1; }
  /// Returns the largest error that the tolerance allows in the mean and in root mean square.
  [[nodiscard]] double allowed_mean() const {
    return tolerance_.atol + tolerance_.rtol * modulus() * root_of_b();
  }

  // Of sums in double precision.
  static constexpr double rounding = 1e-12;

  const KeptStatistics& a_;
  const KeptStatistics& b_;
  const TensorStatistics& left_;
  const TensorStatistics& right_;
  const Tolerance& tolerance_;
  // Complex tensors count their parts, each at its own place; real ones have half as many numbers,
  // at other places. So a complex and a real tensor have only their norms to compare.
  bool is_complex_;  // Whether one is complex at least.
  bool are_alike_;   // Whether both are complex or both real.
  StatisticsComparison found_;
};

}  // namespace

StatisticsComparison compare_statistics(const KeptStatistics& a, const KeptStatistics& b,
                                        const Tolerance& tolerance) {
  return StatisticsComparer(a, b, tolerance).result();
}

}  // namespace safestructures::inline v0::comparing
