/// \file
/// The metrics of small tensors of floats.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "compare/kernels/float_kernels.hpp"
#include "compare/kernels/row_kernels.hpp"
#include "compare/kernels/word_kernels.hpp"
#include "compare/metrics/noise_floor.hpp"
#include "compare/metrics/non_finite.hpp"
#include "compare/rows/compact_rows.hpp"

namespace safestructures::inline v0::comparing {

/// Computes the metrics of `compare_tensors` for a pair of small tensors without its tables, which
/// take several times as long as 64 numbers, or as long as some thousand. All digits are the same,
/// except that sums over several blocks are doubles here.
class RowMetrics {
 public:
  /// The most numbers in a tensor.
  static constexpr std::size_t most = (std::size_t{1} << 16U) - 1;

  enum class Found {
    exact,    ///< No byte differs and all numbers are finite, so there are no metrics.
    inexact,  ///< The metrics are set.
    /// The tensors must be compared as a whole, for instance if a number is finite in one only.
    unusual,
  };
  /// Compares two tensors and sets the row's verdict and measure, and the values for its metrics.
  /// All are unspecified if the result is `unusual`.
  /// \param a, b the bytes of tensors of that kind, possibly unaligned
  [[nodiscard]] Found measure(const std::byte* a, const std::byte* b, const CompactKind& kind,
                              CompactRow& row, CompactMetrics& metrics);
  /// All numbers of a tensor.
  struct Numbers {
    std::span<const std::byte> bytes;
    DType dtype = DType::F32;
  };
  /// Returns the distance between two tensors of `count` floats, at most `most`. Null if one is not
  /// finite.
  [[nodiscard]] std::optional<Distance> distance(const Numbers& a, const Numbers& b,
                                                 std::size_t count);

 private:
  /// Numbers that are summed at once, as many as in `compare_tensors`.
  static constexpr std::size_t block_size = run_size * most_runs;

  struct Total : RowSums {
    std::size_t worst = 0;  // Valid if something differs.
  };

  /// \param block at most `block_size` numbers, as for all kernels that sum
  [[nodiscard]] Total sum_block(const FloatBlock& block, const Tolerance& tolerance);
  [[nodiscard]] Total sum(const FloatBlock& all, const Tolerance& tolerance);
  [[nodiscard]] static double squares_of(const FloatBlock& all);
  /// Removes the pairs that are not finite from copies of both sides, which `all` refers to then.
  NonFinite remove_non_finite(FloatBlock& all);
  /// \param words the same numbers, if they are 16-bit numbers of the grid's dtype
  [[nodiscard]] bool measure_steps(const FloatBlock& all, const std::optional<WordBlock>& words,
                                   const CompactKind& kind, CompactMetrics& metrics);

  // Padding included.
  static constexpr std::size_t room = (most + lanes - 1) / lanes * lanes;
  alignas(64) std::array<float, room> a_;
  alignas(64) std::array<float, room> b_;
  alignas(64) std::array<double, block_size> ratios_;
  unsigned common_bits_ = 20;  // How many bits held the steps of 99 % of the numbers last time.
};

}  // namespace safestructures::inline v0::comparing
