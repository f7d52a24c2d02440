/// \file
/// What the numbers of a tensor are like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/tools/sketch.hpp>

namespace safestructures::inline v0 {

/// Statistics of the elements of one tensor. Of complex elements real and imaginary parts count
/// apart. Minimum, maximum, moments and norm are those of the finite elements; 0 where there are
/// none.
struct TensorStatistics {
  std::uint64_t count = 0;                ///< Elements in all.
  std::uint64_t zeros = 0;                ///< Of both signs.
  std::uint64_t nan = 0;                  ///< Elements that are no number.
  std::uint64_t positive_infinities = 0;  ///< Elements that are +inf.
  std::uint64_t negative_infinities = 0;  ///< Elements that are -inf.
  double min = 0;                         ///< The smallest finite element.
  double max = 0;                         ///< The largest finite element.
  double mean = 0;                        ///< Of the finite elements.
  double standard_deviation = 0;          ///< Of the elements as a whole: divided by their number.
  double l2_norm = 0;  ///< The root of the sum of the squares, or the largest double.

  /// The bins of each sign.
  static constexpr std::size_t bins = 64;
  /// The exponent of the first bin.
  static constexpr int first_exponent = -40;
  /// How many finite elements other than zero have a magnitude in [2^e, 2^(e+1)), by sign: bin 0 is
  /// e = -40 and holds all smaller ones, the last is e = 23 and holds all larger ones.
  /// @{
  std::array<std::uint64_t, bins> negative{};
  std::array<std::uint64_t, bins> positive{};
  /// @}

  /// What shares of the numbers `quantiles` are for.
  static constexpr std::array<double, 19> probabilities = {
      0.001,     0.01,      1.0 / 16,  2.0 / 16, 3.0 / 16,  4.0 / 16,  5.0 / 16,
      6.0 / 16,  7.0 / 16,  8.0 / 16,  9.0 / 16, 10.0 / 16, 11.0 / 16, 12.0 / 16,
      13.0 / 16, 14.0 / 16, 15.0 / 16, 0.99,     0.999};
  /// For each probability p an estimate of the number at the place floor(p (n - 1)), from 0, of the
  /// n that are not NaN, in order; infinities are at the ends. It is off by at most 1/32 of that
  /// number's magnitude (of those below 2^-1022, by 2^-1027). From logarithmic buckets, as DDSketch
  /// (Masson, Rim, Lee, *DDSketch: a fast and fully-mergeable quantile sketch with relative-error
  /// guarantees*, 2019): all numbers with the same sign, exponent and first five bits of the
  /// mantissa, spread evenly over what of their bucket is between `min` and `max`. Nothing where
  /// there is no number, or they were read from a recording older than they are.
  std::optional<std::array<double, probabilities.size()>> quantiles;

  /// Elements that are numbers.
  [[nodiscard]] std::uint64_t finite() const noexcept {
    return count - nan - positive_infinities - negative_infinities;
  }

  friend bool operator==(const TensorStatistics&, const TensorStatistics&) = default;
};

/// Reads every element once, in blocks, on one thread. Moments are those of the elements in double
/// precision, to a few units of its last place: deviations are taken from each block's own mean,
/// and blocks are merged by Chan's formula, so that a large mean costs no digits. Any magnitude is
/// summed without overflow; all that is found is finite.
/// \param progress called on this thread now and then with the elements done since the last call
/// \throws Error what a deferred tensor's source throws; `out_of_range` for a BOOL byte above 1
[[nodiscard]] SAFESTRUCTURES_API TensorStatistics statistics(
    const Tensor& tensor, const std::function<void(std::uint64_t elements)>& progress = nullptr);

/// The same as a structure for files: class `Statistics`, with dtype and shape in front, the counts
/// and moments as scalars, the histogram as an I64 tensor of shape [2, 64], negatives first,
/// what `sketch` gives: the hash in 16 hexadecimal digits, the sums as an F64 tensor; and the
/// quantiles, if there are any, as an F64 tensor.
[[nodiscard]] SAFESTRUCTURES_API Value statistics_value(const Tensor& tensor);

/// The statistics that a file holds in place of a tensor.
struct KeptStatistics {
  DType dtype = DType::F32;            ///< Of the tensor.
  Shape shape;                         ///< Of the tensor.
  TensorStatistics statistics;         ///< Without quantiles in recordings of earlier versions.
  std::optional<TensorSketch> sketch;  ///< Missing in recordings of earlier versions.
};

/// Reads what `statistics_value` made.
/// \throws Error `invalid_schema`, naming the field that is missing or not what it should be
[[nodiscard]] SAFESTRUCTURES_API KeptStatistics read_statistics(const Value& value);

}  // namespace safestructures::inline v0
