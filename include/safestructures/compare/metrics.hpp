/// \file
/// Distances between the numbers of two tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <safestructures/compare/options.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

/// Counts of non-finite numbers by kind. A NaN against an infinity counts in `nan_only` of its side
/// and in `infinity_only` of the other; `nan_infinity` counts these pairs.
struct NonFiniteCounts {
  std::uint64_t nan_both = 0;         ///< NaN in both.
  std::uint64_t nan_only_a = 0;       ///< NaN in a, not in b.
  std::uint64_t nan_only_b = 0;       ///< NaN in b, not in a.
  std::uint64_t infinity_both = 0;    ///< Infinite in both, with the same sign.
  std::uint64_t infinity_only_a = 0;  ///< Infinite in a, not in b.
  std::uint64_t infinity_only_b = 0;  ///< Infinite in b, not in a.
  std::uint64_t infinity_signs = 0;   ///< Infinite in both, with different signs.
  std::uint64_t nan_infinity = 0;     ///< NaN in one, infinite in the other.

  /// Returns the number of elements at which the two sides differ.
  [[nodiscard]] constexpr std::uint64_t differing() const noexcept {
    return nan_only_a + nan_only_b + infinity_only_a + infinity_only_b + infinity_signs -
           nan_infinity;
  }

  friend bool operator==(const NonFiniteCounts&, const NonFiniteCounts&) = default;
};

/// Whether a signal-to-noise ratio is a number, and if not, why.
enum class SnrState : std::uint8_t {
  number,          ///< `TensorMetrics::snr` holds it.
  exact,           ///< No number differs.
  zero_reference,  ///< All of b is zero, and a is not.
  nothing,         ///< No number is finite in both.
};

/// Distances in units in the last place (steps from one number of a dtype to the next). Both zeros
/// are the same number.
struct UlpMetrics {
  DType dtype = DType::F32;  ///< The dtype both sides are rounded to: the one with fewer digits.
  std::uint64_t max = 0;     ///< The largest distance.
  /// An upper bound on the distance of 99 % of the numbers, of the form 2^n - 1.
  std::uint64_t p99 = 0;
  /// The largest absolute difference, in steps at the largest |b|, so that numbers near zero, where
  /// steps are tiny, do not inflate it. 0 if all of b is zero.
  double at_peak = 0;
  /// The steps from one power of two to the next. A `max` beyond it only means "far apart".
  std::uint64_t binade = 0;

  friend bool operator==(const UlpMetrics&, const UlpMetrics&) = default;
};

/// The element furthest beyond its tolerance, or nearest to it if none is beyond.
struct WorstElement {
  std::uint64_t index = 0;  ///< Its index in row-major order.
  Value a;                  ///< The element of a: a float, int, bool or complex.
  Value b;                  ///< The element of b.
};

/// Distances between two tensors of the same shape; b is the reference. The real and imaginary
/// parts of complex elements count separately, each relative to the modulus of its element in b.
///
/// Sums cover the numbers that are finite in both, in double precision or better.
struct TensorMetrics {
  std::uint64_t count = 0;      ///< All numbers.
  std::uint64_t compared = 0;   ///< Numbers that are finite in both.
  std::uint64_t differing = 0;  ///< Compared numbers that are not equal. 0.0 equals -0.0.
  /// Numbers beyond the tolerance, including those that are finite, NaN or infinite of one sign on
  /// one side only.
  std::uint64_t beyond = 0;
  Tolerance tolerance;      ///< The tolerance that was allowed.
  double max_absolute = 0;  ///< The largest |a - b|, or the largest double.
  /// The largest |a - b| / max(|b|, floor). `floor` is the largest power of two that is at most
  /// 1/256 of b's root mean square, and at least 2^-1022, so that numbers near zero do not inflate
  /// it. Nothing if all of b is zero and a is not.
  std::optional<double> max_relative;
  /// The largest |a - b| / (atol + rtol * |b|); above 1 is beyond the tolerance. Nothing if it is
  /// unbounded because the tolerance is zero.
  std::optional<double> max_ratio;
  double mean_error = 0;     ///< The mean of a - b (signed).
  double mean_absolute = 0;  ///< The mean of |a - b|.
  double rmse = 0;           ///< The root of the mean of (a - b) squared.
  double norm_a = 0;         ///< The L2 norm of a.
  double norm_b = 0;         ///< The L2 norm of b.
  /// The L2 norm of a - b divided by that of b. Nothing if b is zero and a is not.
  std::optional<double> relative_l2;
  double snr = 0;  ///< The signal-to-noise ratio in dB; see `snr_state`. Higher is better.
  SnrState snr_state = SnrState::nothing;  ///< Whether `snr` is a number.
  /// The cosine of the angle between a and b. Nothing if one side is zero. A common factor does not
  /// show in it: look at `norm_ratio` too.
  std::optional<double> cosine;
  /// 1 - cosine, without cancellation: accurate to a few units in the last place if the norms are
  /// equally large, and always to 1e-11.
  std::optional<double> cosine_distance;
  std::optional<double> norm_ratio;   ///< |a| / |b|. Nothing if b is zero.
  std::optional<UlpMetrics> ulp;      ///< Present if both dtypes are floating-point.
  NonFiniteCounts non_finite;         ///< The numbers left out of the sums.
  std::optional<WorstElement> worst;  ///< Present if anything differs.

  /// Returns whether no number differs.
  [[nodiscard]] bool is_exact() const noexcept { return differing == 0 && beyond == 0; }
  /// Returns whether no number is beyond the tolerance.
  [[nodiscard]] bool is_within() const noexcept { return beyond == 0; }
};

/// The dtypes that numbers had before they were stored, if these differ from the tensors'. They
/// determine steps and tolerances.
struct RecordedDTypes {
  std::optional<DType> a;  ///< The dtype of the first tensor.
  std::optional<DType> b;  ///< The dtype of the second tensor.
};

/// Compares the numbers of two tensors of the same shape in blocks, on as many threads as help.
/// Each block is read once, or twice if a sample of its numbers was misleading or the norms differ
/// by a factor of a thousand. Between 64-bit integers every difference is seen, even if double
/// precision cannot represent it.
/// \param tolerance nothing: the default of the dtypes, the looser one for each number
/// \param progress called on this thread from time to time with the elements done since the last
/// call
/// \throws Error `shape_mismatch`; whatever the sources of deferred tensors throw; `out_of_range`
/// for a BOOL byte above 1
[[nodiscard]] SAFESTRUCTURES_API TensorMetrics compare_tensors(
    const Tensor& a, const Tensor& b, const std::optional<Tolerance>& tolerance = std::nullopt,
    const RecordedDTypes& recorded = {},
    const std::function<void(std::uint64_t elements)>& progress = nullptr);

}  // namespace safestructures::inline v0
