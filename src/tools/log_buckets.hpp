/// \file
/// Counts of numbers by sign, exponent and the first bits of their mantissa.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::detail {

/// Buckets of finite numbers, each at most 1/32 as wide as its numbers are large. Memory is only
/// allocated for the binades that occur: a few kilobytes for typical networks.
class LogBuckets {
 public:
  /// Counts finite numbers.
  /// \param smallest their smallest nonzero magnitude, infinity if all are zero
  /// \param largest their largest magnitude
  void add(std::span<const double> values, double smallest, double largest);

  /// Sets the bins and quantiles of statistics whose other members are set.
  /// \param negative_zeros how many of their zeros are -0.0
  void fill(TensorStatistics& found, std::uint64_t negative_zeros) const;

 private:
  struct Run;

  void reach(double smallest, double largest);
  void add_block(std::span<const double> values);
  void fill_bins(TensorStatistics& found, std::uint64_t negative_zeros) const;
  void fill_quantiles(TensorStatistics& found) const;
  [[nodiscard]] std::uint64_t positives(std::size_t slot) const;
  [[nodiscard]] std::uint64_t negatives(std::size_t slot) const;
  [[nodiscard]] std::vector<Run> runs(const TensorStatistics& found) const;

  // The key of a magnitude is its exponent and first bits. Slot 0 is for zeros and for all keys up
  // to this one, which no number has unless it is the smallest key.
  std::uint32_t base_ = 0;
  std::size_t slots_ = 1;
  /// The slots of both signs, in two tables.
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(4);
};

}  // namespace safestructures::inline v0::detail
