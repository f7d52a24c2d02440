/// \file
/// The metrics of small tensors of floats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "compare/kernels/float_kernels.hpp"
#include "compare/kernels/row_kernels.hpp"
#include "compare/kernels/word_kernels.hpp"
#include "compare/metrics/noise_floor.hpp"
#include "compare/rows/compact_rows.hpp"

namespace safestructures::inline v0::comparing {

/// What `compare_tensors` finds of such a pair, and nothing more: its tables take several times as
/// long as 64 numbers, and as long as some thousand. The digits are the same, but that sums of
/// several blocks are doubles here.
class RowMetrics {
 public:
  /// Numbers of a tensor, at most.
  static constexpr std::size_t most = (std::size_t{1} << 16U) - 1;

  enum class Found {
    exact,    ///< No byte differs, so that there are no metrics.
    inexact,  ///< There are metrics.
    unusual,  ///< A number is not finite, or the tensors must be looked at as a whole.
  };
  /// Compares two tensors and fills in the row's verdict and measure, and what its metrics are made
  /// of. Nothing of it is of use where they are unusual.
  /// \param a, b the bytes of tensors of that kind, wherever they begin
  [[nodiscard]] Found measure(const std::byte* a, const std::byte* b, const CompactKind& kind,
                              CompactRow& row, CompactMetrics& metrics);
  /// All numbers of a tensor.
  struct Numbers {
    std::span<const std::byte> bytes;
    DType dtype = DType::F32;
  };
  /// How far two tensors of so many floats, at most `most`, are apart. Nothing where one is not
  /// finite.
  [[nodiscard]] std::optional<Distance> distance(const Numbers& a, const Numbers& b,
                                                 std::size_t count);

 private:
  /// Numbers that are summed at once, those that `compare_tensors` does.
  static constexpr std::size_t block_size = run_size * most_runs;

  struct Total : RowSums {
    std::size_t worst = 0;  // Where something differs.
  };

  /// \param block of at most `block_size` numbers, as of all kernels that sum
  [[nodiscard]] Total sum_block(const FloatBlock& block, const Tolerance& tolerance);
  [[nodiscard]] Total sum(const FloatBlock& all, const Tolerance& tolerance);
  [[nodiscard]] static double squares_of(const FloatBlock& all);
  /// \param words the same numbers, where they are those of the grid in 16 bits
  [[nodiscard]] bool measure_steps(const FloatBlock& all, const std::optional<WordBlock>& words,
                                   const CompactKind& kind, CompactMetrics& metrics);

  alignas(64) std::array<float, most> a_;
  alignas(64) std::array<float, most> b_;
  alignas(64) std::array<double, block_size> ratios_;
  unsigned common_bits_ = 20;  // That the steps of 99 of 100 numbers took the last time, at most.
};

}  // namespace safestructures::inline v0::comparing
