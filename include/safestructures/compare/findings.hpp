/// \file
/// What a comparison concludes beyond the numbers of one pair of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/compare/options.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// How far apart runs are that should be the same: what is no further apart is no error.
///
/// Of each further run of `CompareOptions::noise` the distance to the nearer of the two sides
/// counts, so that it does not matter whose run it is, and a fault of one side is never taken for
/// noise; of several runs the largest of each measure.
struct NoiseFloor {
  double max_absolute = 0;            ///< As `TensorMetrics::max_absolute`.
  double rmse = 0;                    ///< As `TensorMetrics::rmse`.
  std::optional<double> relative_l2;  ///< As `TensorMetrics::relative_l2`.
  std::uint64_t runs = 0;             ///< The further runs that have this tensor.
  /// Whether one of them has more digits than both sides. It measures their rounding, so that it
  /// decides alone; repeated runs only excuse what is beyond the tolerance.
  bool is_precise = false;
  /// How many times the floor a difference may be: `CompareOptions::noise_factor`, more where few
  /// numbers were measured. The floor's maximum counts twice there, or, beside a run with more
  /// digits, what of it is beyond a step of the dtype.
  double factor = 0;
  /// The larger of what root mean square and maximum are beside what they may be: above 1 is beyond
  /// it. Nothing where the floor is zero and the difference is not.
  std::optional<double> excess;

  /// Whether the difference is no larger than the noise explains.
  [[nodiscard]] bool is_within() const noexcept { return excess && *excess <= 1; }
};

/// What is known of two tensors of which one side or both have the statistics alone (as
/// `statistics_value` keeps them). Estimates come from the sketches and do not exist where a side
/// has none, or where NaN or infinities differ in number.
struct StatisticsMetrics {
  /// The standard deviation of `distance` and `relative_l2`, as a share of them: that of
  /// TensorSketch.
  static constexpr double estimate_deviation = 0.0442;

  std::uint64_t count = 0;            ///< Numbers of each tensor.
  Tolerance tolerance;                ///< What was allowed.
  std::optional<bool> has_same_hash;  ///< Of tensors of one dtype: whether their bytes are equal.
  std::optional<double> distance;     ///< Estimate of |a - b| as vectors.
  std::optional<double> relative_l2;  ///< Estimate of |a - b| / |b|.
  /// Estimate of 1 - the cosine of the angle, with a standard deviation of 8.8 % of it.
  std::optional<double> cosine_distance;
  std::optional<double> norm_ratio;  ///< |a| / |b|, exact.
  /// The share of the numbers that would have to change their bin of the histogram (powers of two),
  /// to make it the other's.
  double histogram_distance = 0;
  /// The largest difference of the sides' `TensorStatistics::quantiles`, over what is between b's
  /// at 0.01 and 0.99. Distributions of the same moments may have it. A quantile being off by up to
  /// 1/32 of itself, it tells little of numbers that are near each other and far from zero. Nothing
  /// where a side has no quantiles, or b's are all the same and a's are others.
  std::optional<double> quantile_distance;
  /// Of each side, as in `TensorStatistics`.
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

/// How it is known what went into the layer that made a record: the confidence in an `ErrorOrigin`.
enum class InputEvidence : std::uint8_t {
  none,         ///< Nothing was recorded before it in its step and thread.
  other_shape,  ///< Guessed: the record before it, of another shape.
  same_shape,   ///< Guessed: the record before it, of the same shape.
  recorded,     ///< Recorded as its input, such as `layer.0.input` for `layer.0`.
};

/// The name of it in JSON: `"recorded"`.
SAFESTRUCTURES_API std::string_view to_string(InputEvidence evidence) noexcept;

/// A record's error beside that of what went into its layer. Errors are relative L2 over the
/// tensors of a record, the largest of them, or `ComparisonRow::unmasked_l2` where there is one.
struct ErrorOrigin {
  InputEvidence evidence = InputEvidence::none;  ///< How the input is known.
  /// The first row of the record taken as input. Nothing: none.
  std::optional<std::size_t> input_row;
  std::optional<double> error;        ///< Of the record. Nothing where it has no measure: a NaN.
  std::optional<double> input_error;  ///< Of its input, as `error`.
  /// Error over input error. Nothing where the input is exact, or one of them has no measure.
  std::optional<double> amplification;
  /// What ranks culprits: error, at most 1, over the input error or, where that is smaller, over
  /// the noise (relative L2 of `ComparisonRow::noise`, else half a step of the dtype). Where the
  /// input is a guess, over the largest error before it in the step. An error without measure is 1
  /// where what came in is more than that noise; else there is nothing here.
  std::optional<double> score;
};

/// A fault that would make such a difference, with its evidence. It is a hint for who looks for the
/// fault, and decides nothing.
struct Suspicion {
  std::string fault;     ///< `missing scale`; docs/compare.md has the list.
  std::string evidence;  ///< In words and numbers. Safe for a terminal.
  /// The share of the squared difference that is gone when the fault is put right. Nothing where
  /// the pattern alone speaks, and not the numbers.
  std::optional<double> explained{};
};

/// A record of recordings whose layer makes an error of its own.
struct Culprit {
  std::string name;               ///< Of the record, in the first recording.
  std::size_t row = 0;            ///< Of the first of its calls that makes an error.
  std::uint64_t calls = 0;        ///< How many of its calls do.
  std::optional<double> score{};  ///< The largest, as `ErrorOrigin::score`.
};

}  // namespace safestructures::inline v0
