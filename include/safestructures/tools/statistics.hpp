/// \file
/// Statistics of the numbers of a tensor.
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

/// Statistics of the elements of one tensor. The real and imaginary parts of complex elements count
/// separately. Minimum, maximum, moments and norm only cover the finite elements; they are 0 if
/// there are none.
struct TensorStatistics {
  std::uint64_t count = 0;                ///< All elements.
  std::uint64_t zeros = 0;                ///< Zeros of both signs.
  std::uint64_t nan = 0;                  ///< Elements that are NaN.
  std::uint64_t positive_infinities = 0;  ///< Elements that are +inf.
  std::uint64_t negative_infinities = 0;  ///< Elements that are -inf.
  double min = 0;                         ///< The smallest finite element.
  double max = 0;                         ///< The largest finite element.
  double mean = 0;                        ///< The mean of the finite elements.
  double standard_deviation = 0;          ///< The population standard deviation (divided by n).
  double l2_norm = 0;  ///< The root of the sum of the squares; at most the largest double.

  /// The number of bins for each sign.
  static constexpr std::size_t bins = 64;
  /// The exponent of the first bin.
  static constexpr int first_exponent = -40;
  /// The number of finite nonzero elements with a magnitude in [2^e, 2^(e+1)), by sign. The first
  /// bin, of exponent -40, includes all smaller ones; the last, of exponent 23, all larger ones.
  /// @{
  std::array<std::uint64_t, bins> negative{};
  std::array<std::uint64_t, bins> positive{};
  /// @}

  /// The probabilities of `quantiles`.
  static constexpr std::array<double, 19> probabilities = {
      0.001,     0.01,      1.0 / 16,  2.0 / 16, 3.0 / 16,  4.0 / 16,  5.0 / 16,
      6.0 / 16,  7.0 / 16,  8.0 / 16,  9.0 / 16, 10.0 / 16, 11.0 / 16, 12.0 / 16,
      13.0 / 16, 14.0 / 16, 15.0 / 16, 0.99,     0.999};
  /// For each probability p, an estimate of the number at position floor(p (n - 1)), counted from
  /// 0, of the n sorted numbers that are not NaN, infinities included. The error is at most 1/32 of
  /// that number's magnitude (2^-1027 for magnitudes below 2^-1022). Estimated from logarithmic
  /// buckets, as in DDSketch (Masson, Rim, Lee, *DDSketch: a fast and fully-mergeable quantile
  /// sketch with relative-error guarantees*, 2019): a bucket holds all numbers with the same sign,
  /// exponent and first five bits of the mantissa, assumed to be spread evenly over the part of the
  /// bucket between `min` and `max`. Nothing if there are no numbers, or if the statistics were
  /// read from a recording made before quantiles existed.
  std::optional<std::array<double, probabilities.size()>> quantiles;

  /// Returns the number of finite elements.
  [[nodiscard]] std::uint64_t finite() const noexcept {
    return count - nan - positive_infinities - negative_infinities;
  }

  friend bool operator==(const TensorStatistics&, const TensorStatistics&) = default;
};

/// Computes the statistics of a tensor. Reads every element once, in blocks, on one thread. Moments
/// are those of the elements in double precision, accurate to a few units in the last place:
/// deviations are taken from each block's own mean, and blocks are merged with Chan's formula, so
/// that a large mean costs no digits. Any magnitude is summed without overflow; all results are
/// finite.
/// \param progress called on this thread from time to time with the elements done since the last
/// call
/// \throws Error whatever a deferred tensor's source throws; `out_of_range` for a BOOL byte above 1
[[nodiscard]] SAFESTRUCTURES_API TensorStatistics statistics(
    const Tensor& tensor, const std::function<void(std::uint64_t elements)>& progress = nullptr);

/// Returns statistics and sketch as a structure for files, of class `Statistics`: first dtype and
/// shape; the counts and moments as scalars; the histogram as an I64 tensor of shape [2, 64],
/// negatives first; the result of `sketch`, with the hash as 16 hexadecimal digits and the sums as
/// an F64 tensor; and the quantiles, if there are any, as an F64 tensor.
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
