/// \file
/// How far apart the numbers of two tensors are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <safestructures/compare/options.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

/// What is no finite number, by kind. A NaN against an infinity counts in `nan_only` of its side
/// and in `infinity_only` of the other; `nan_infinity` says how many of these there are.
struct NonFiniteCounts {
  std::uint64_t nan_both = 0;         ///< NaN in both.
  std::uint64_t nan_only_a = 0;       ///< NaN in a, not in b.
  std::uint64_t nan_only_b = 0;       ///< NaN in b, not in a.
  std::uint64_t infinity_both = 0;    ///< Of one sign.
  std::uint64_t infinity_only_a = 0;  ///< Infinite in a, not in b.
  std::uint64_t infinity_only_b = 0;  ///< Infinite in b, not in a.
  std::uint64_t infinity_signs = 0;   ///< Infinite in both, of different signs.
  std::uint64_t nan_infinity = 0;     ///< NaN in one, infinite in the other.

  /// Where the two sides are not the same.
  [[nodiscard]] constexpr std::uint64_t differing() const noexcept {
    return nan_only_a + nan_only_b + infinity_only_a + infinity_only_b + infinity_signs -
           nan_infinity;
  }

  friend bool operator==(const NonFiniteCounts&, const NonFiniteCounts&) = default;
};

/// What a signal to noise ratio is where it is not a number.
enum class SnrState : std::uint8_t {
  number,          ///< `TensorMetrics::snr` holds it.
  exact,           ///< No number differs.
  zero_reference,  ///< All of b is zero, and a is not.
  nothing,         ///< No number is finite in both.
};

/// Distances in steps from one number of a dtype to the next. Both zeros are one number.
struct UlpMetrics {
  DType dtype = DType::F32;  ///< To which both sides are rounded: the one with fewer digits.
  std::uint64_t max = 0;     ///< The largest of all.
  /// 99 % of the numbers are no further apart. An upper bound: 2^n - 1.
  std::uint64_t p99 = 0;
  /// The largest absolute difference in steps at the largest |b|: numbers near zero, between which
  /// steps are tiny, do not blow it up. 0 where all of b is zero.
  double at_peak = 0;
  /// Steps from a power of two to the next. `max` beyond it says no more than 'far'.
  std::uint64_t binade = 0;

  friend bool operator==(const UlpMetrics&, const UlpMetrics&) = default;
};

/// The element that is furthest beyond its tolerance, or nearest to it.
struct WorstElement {
  std::uint64_t index = 0;  ///< In row-major order.
  Value a;                  ///< A float, an int, a bool or a complex.
  Value b;                  ///< As `a`.
};

/// How far apart two tensors of one shape are, b being the reference. Of complex elements real and
/// imaginary parts count apart, each beside the modulus of its element in b.
///
/// Sums are those of the numbers that are finite in both, in double precision or better.
struct TensorMetrics {
  std::uint64_t count = 0;      ///< Numbers in all.
  std::uint64_t compared = 0;   ///< Those that are finite in both.
  std::uint64_t differing = 0;  ///< Of these, those that are not equal. 0.0 equals -0.0.
  /// Beyond the tolerance; those that are finite, NaN or infinite of one sign in one only are too.
  std::uint64_t beyond = 0;
  Tolerance tolerance;      ///< What was allowed.
  double max_absolute = 0;  ///< The largest |a - b|, or the largest double.
  /// Of |a - b| / max(|b|, floor), the floor being the largest power of two that is at most 1/256
  /// of b's root mean square, and at least 2^-1022: numbers near zero do not blow it up. Nothing
  /// where all of b is zero and a is not.
  std::optional<double> max_relative;
  /// Of |a - b| / (atol + rtol * |b|): above 1 is beyond the tolerance. Nothing where it has no
  /// bound because the tolerance is zero.
  std::optional<double> max_ratio;
  double mean_error = 0;     ///< Of a - b, with its sign.
  double mean_absolute = 0;  ///< Of |a - b|.
  double rmse = 0;           ///< The root of the mean of (a - b) squared.
  double norm_a = 0;         ///< The L2 norm of a.
  double norm_b = 0;         ///< The L2 norm of b.
  /// |a - b| / |b| as vectors. Nothing where b is zero and a is not.
  std::optional<double> relative_l2;
  double snr = 0;                          ///< In dB; see `snr_state`. More is better.
  SnrState snr_state = SnrState::nothing;  ///< What `snr` says.
  /// Of the angle. Nothing where one side is zero. A factor between the sides does not show in it:
  /// look at `norm_ratio` too.
  std::optional<double> cosine;
  /// 1 - cosine, without the digits that the subtraction would cost: where the norms are as large,
  /// to a few units of its last place, and always to 1e-11.
  std::optional<double> cosine_distance;
  std::optional<double> norm_ratio;   ///< |a| / |b|. Nothing where b is zero.
  std::optional<UlpMetrics> ulp;      ///< Of floating-point dtypes on both sides.
  NonFiniteCounts non_finite;         ///< What is in no sum.
  std::optional<WorstElement> worst;  ///< Where anything differs.

  /// Whether no number differs.
  [[nodiscard]] bool is_exact() const noexcept { return differing == 0 && beyond == 0; }
  /// Whether no number is beyond the tolerance.
  [[nodiscard]] bool is_within() const noexcept { return beyond == 0; }
};

/// The dtypes that decide on steps and tolerances, where they are others than the tensors': those
/// that the numbers had before they were stored.
struct RecordedDTypes {
  std::optional<DType> a;  ///< Of the first tensor.
  std::optional<DType> b;  ///< Of the second.
};

/// Compares the numbers of two tensors of one shape, in blocks, each read once, or a second time
/// where a sample of them misled or the norms are a thousand times apart; on as many threads as
/// pay. Of 64-bit integers on both sides every
/// difference is seen, also between those that double precision cannot tell apart.
/// \param tolerance nothing: as the dtypes say, the looser of each number
/// \param progress called on this thread now and then with the elements done since the last call
/// \throws Error `shape_mismatch`; what deferred tensors' sources throw; `out_of_range` for a BOOL
/// byte above 1
[[nodiscard]] SAFESTRUCTURES_API TensorMetrics compare_tensors(
    const Tensor& a, const Tensor& b, const std::optional<Tolerance>& tolerance = std::nullopt,
    const RecordedDTypes& recorded = {},
    const std::function<void(std::uint64_t elements)>& progress = nullptr);

}  // namespace safestructures::inline v0
