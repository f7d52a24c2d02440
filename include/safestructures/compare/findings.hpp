/// \file
/// Conclusions of a comparison beyond the numbers of one pair of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/compare/options.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// The distance between runs that should be the same. A difference no larger than it is not an
/// error.
///
/// For each further run of `CompareOptions::noise`, the distance to the nearer of the two sides
/// counts: it does not matter which side the run belongs to, and a fault of one side is never taken
/// for noise. With several runs, the largest value of each measure counts.
struct NoiseFloor {
  double max_absolute = 0;            ///< As `TensorMetrics::max_absolute`.
  double rmse = 0;                    ///< As `TensorMetrics::rmse`.
  std::optional<double> relative_l2;  ///< As `TensorMetrics::relative_l2`.
  std::uint64_t runs = 0;             ///< The number of further runs that have this tensor.
  /// Whether one of them has more digits than both sides. Such a run measures their rounding and
  /// decides alone; repeated runs only excuse differences beyond the tolerance.
  bool is_precise = false;
  /// How many times the floor a difference may be: `CompareOptions::noise_factor`, or more if few
  /// numbers were measured. For the largest difference the floor counts twice; with a run of more
  /// digits, the second time only the part of it that exceeds one step of the dtype.
  double factor = 0;
  /// The root mean square or the maximum, relative to what is allowed for it, whichever is larger;
  /// above 1 is beyond the noise. Nothing if the floor is zero and the difference is not.
  std::optional<double> excess;

  /// Returns whether the difference is no larger than the noise explains.
  [[nodiscard]] bool is_within() const noexcept { return excess && *excess <= 1; }
};

/// The comparison of two tensors when one side or both only have the statistics (as kept by
/// `statistics_value`). Estimates come from the sketches and are missing if a side has none, or if
/// the numbers of NaNs or infinities differ.
struct StatisticsMetrics {
  /// The standard deviation of `distance` and `relative_l2`, relative to their value; it is that of
  /// TensorSketch.
  static constexpr double estimate_deviation = 0.0442;

  std::uint64_t count = 0;  ///< The numbers in each tensor.
  Tolerance tolerance;      ///< The tolerance that was allowed.
  /// For tensors of the same dtype: whether their bytes are equal.
  std::optional<bool> has_same_hash;
  std::optional<double> distance;     ///< Estimate of the L2 norm |a - b|.
  std::optional<double> relative_l2;  ///< Estimate of |a - b| / |b|.
  /// Estimate of 1 - the cosine of the angle, with a standard deviation of 8.8 % of its value.
  std::optional<double> cosine_distance;
  std::optional<double> norm_ratio;  ///< |a| / |b|, exact.
  /// The share of the numbers that would have to change their bin of the histogram (powers of two)
  /// to turn one histogram into the other.
  double histogram_distance = 0;
  /// The largest difference between the two sides' `TensorStatistics::quantiles`, relative to the
  /// distance between b's quantiles at 0.01 and 0.99. It can tell apart distributions with the same
  /// moments. Quantiles are accurate to 1/32 of their value, so this says little about numbers that
  /// are close together and far from zero. Nothing if a side has no quantiles, if b's are all the
  /// same and a's are not, or if one is infinite on one side only.
  std::optional<double> quantile_distance;
  /// Statistics of each side, as in `TensorStatistics`.
  /// @{
  double norm_a = 0;
  double norm_b = 0;
  double mean_a = 0;
  double mean_b = 0;
  double standard_deviation_a = 0;
  double standard_deviation_b = 0;
  double min_a = 0;
  double min_b = 0;
  double max_a = 0;
  double max_b = 0;
  /// @}
};

/// How the input of the layer that made a record is known: the confidence in an `ErrorOrigin`.
enum class InputEvidence : std::uint8_t {
  none,         ///< No tensor was recorded earlier in its step and thread.
  other_shape,  ///< Guessed: the previous record, which has another shape.
  same_shape,   ///< Guessed: the previous record, which has the same shape.
  recorded,     ///< Recorded as the layer's input, such as `layer.0.input` for `layer.0`.
};

/// Returns the name in JSON, such as `"recorded"`.
SAFESTRUCTURES_API std::string_view to_string(InputEvidence evidence) noexcept;

/// The error of a record compared with that of its layer's input. An error is the largest relative
/// L2 over the tensors of a record; for a tensor with `ComparisonRow::unmasked_l2`, that counts
/// instead.
struct ErrorOrigin {
  InputEvidence evidence = InputEvidence::none;  ///< How the input is known.
  /// The first row of the record taken as input. Nothing if there is none.
  std::optional<std::size_t> input_row;
  /// The error of the record. Nothing if it cannot be measured: a NaN.
  std::optional<double> error;
  std::optional<double> input_error;  ///< The error of its input, as `error`.
  /// Error divided by input error. Nothing if the input is exact, or either cannot be measured.
  std::optional<double> amplification;
  /// The rank of a culprit: the error, at most 1, divided by the input error or the noise,
  /// whichever is larger. Noise is the relative L2 of `ComparisonRow::noise`, else half a step of
  /// the dtype. If the input is guessed, the largest earlier error in its step and thread takes the
  /// place of the input error. An error that cannot be measured counts as 1 if the input error
  /// exceeds the noise; otherwise there is no score. If the input error cannot be measured, the
  /// score is 0.
  std::optional<double> score;
};

/// A fault that would cause such a difference, with its evidence. It is a hint for debugging and
/// does not affect the verdict.
struct Suspicion {
  std::string fault;     ///< `missing scale`; docs/compare.md has the list.
  std::string evidence;  ///< The evidence in words and numbers. Safe for a terminal.
  /// The share of the squared difference that vanishes if the fault is corrected. Nothing if the
  /// evidence is only the pattern, not the numbers.
  std::optional<double> explained{};
};

/// A record whose layer makes an error of its own.
struct Culprit {
  std::string name;               ///< The name of the record in the first recording.
  std::size_t row = 0;            ///< The row of its first call that makes an error.
  std::uint64_t calls = 0;        ///< The number of its calls that make an error.
  std::optional<double> score{};  ///< The largest `ErrorOrigin::score` of these calls.
};

}  // namespace safestructures::inline v0
