/// \file
/// Sums over two tensors, and the metrics computed from them.
#pragma once

#include <cstdint>
#include <optional>

#include <safestructures/compare/metrics.hpp>
#include "compare/kernels/block_kernels.hpp"
#include "compare/metrics/ulp.hpp"

namespace safestructures::inline v0::comparing {

/// Sums over the numbers that are finite in both. `Wide` can hold the square of every double.
struct Sums {
  using Wide = long double;
  Wide errors = 0;
  Wide absolute = 0;
  Wide squares = 0;
  Wide a_squares = 0;
  Wide b_squares = 0;
  Wide square_difference = 0;  ///< a^2 - b^2, without cancellation.

  Sums& operator+=(const Sums& other);
};

/// Converts the sums of a block.
[[nodiscard]] Sums sums_of(const BlockSums& block);

/// Everything found about two tensors.
struct Totals {
  Tolerance tolerance;
  std::optional<Grid> grid;
  Sums sums;
  std::uint64_t count = 0;  ///< This and the following are as in `TensorMetrics`.
  std::uint64_t compared = 0;
  std::uint64_t differing = 0;
  std::uint64_t beyond = 0;
  NonFiniteCounts non_finite{};
  double max_absolute = 0;
  double max_ratio = 0;     ///< Infinite if unbounded or beyond every double.
  double max_relative = 0;  ///< Set if something differs and b is not zero.
  double largest_b = 0;     ///< The largest |b|.
  std::uint64_t max_ulp = 0;
  unsigned common_bits = 0;  ///< How many bits hold the steps of 99 % of the numbers.
};

/// Returns |a - b| / |b|, as in `TensorMetrics`. \param b_squares not zero
[[nodiscard]] double relative_l2_of(Sums::Wide squares, Sums::Wide b_squares);

/// Returns the root mean square of `count` numbers, as in `TensorMetrics`.
[[nodiscard]] double rms_of(Sums::Wide squares, std::uint64_t count);
/// Returns the same, given the L2 norm; for no numbers, the norm.
[[nodiscard]] double rms_of_norm(double norm, std::uint64_t count);

/// Computes all metrics but the elements of `worst`.
[[nodiscard]] TensorMetrics metrics_of(const Totals& totals);

}  // namespace safestructures::inline v0::comparing
