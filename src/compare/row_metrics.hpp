/// \file
/// The metrics of small tensors of floats, each in one block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compare/compact_rows.hpp"
#include "compare/float_kernels.hpp"
#include "compare/row_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// What `compare_tensors` finds of such a pair, in the same digits, and nothing more: of 64 numbers
/// its tables take several times as long as the numbers.
class RowMetrics {
 public:
  /// Numbers of a tensor, at most: those that `compare_tensors` sums in one block.
  static constexpr std::size_t most = run_size * most_runs;

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

 private:
  using Floats = std::array<float, most>;
  using Numbers = std::array<double, most>;

  [[nodiscard]] RowNumbers numbers() noexcept {
    return {.errors = errors_.data(), .references = references_.data(), .ratios = ratios_.data()};
  }
  [[nodiscard]] static bool measure_steps(const FloatBlock& block, const CompactKind& kind,
                                          CompactMetrics& metrics);

  alignas(64) Floats a_;
  alignas(64) Floats b_;
  alignas(64) Numbers errors_;
  alignas(64) Numbers references_;
  alignas(64) Numbers ratios_;
};

}  // namespace safestructures::inline v0::comparing
