/// \file
/// Vectorised passes over blocks of numbers for their statistics.
#pragma once

#include <cstdint>
#include <span>

namespace safestructures::inline v0::detail {

/// The results of one pass over numbers. If they are not all finite, the others are undefined.
struct NumberSums {
  bool are_finite = true;
  double min = 0;
  double max = 0;
  double smallest = 0;               ///< The smallest nonzero magnitude; infinity if there is none.
  std::uint64_t zeros = 0;           ///< Of both signs.
  std::uint64_t negative_zeros = 0;  ///< Those that are -0.0.
  double sum = 0;
  double squares = 0;  ///< Infinite, or with lost digits, if squares leave the range of a double.
};

/// Sums of the deviations of numbers from a given one, and of their squares.
struct Deviations {
  double sum = 0;
  double squares = 0;
};

/// The kernels for one instruction set. All sets give the same results.
struct StatisticsKernels {
  /// \param numbers at least one
  NumberSums (*sums)(std::span<const double> numbers);
  /// \param from the number that deviations are from, such as their mean
  Deviations (*deviations)(std::span<const double> numbers, double from);
};

/// Returns the kernels for the best instruction set of this processor, or the portable ones.
const StatisticsKernels& statistics_kernels(bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::detail
