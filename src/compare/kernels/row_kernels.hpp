/// \file
/// Vectorised kernels for small float tensors. A tensor is processed in one call, since setting up
/// costs as much as 64 numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <safestructures/compare/options.hpp>
#include "compare/kernels/block_kernels.hpp"
#include "compare/kernels/float_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// The results of one pass over both sides.
struct RowSums : BlockSums {
  std::uint64_t differing = 0;
  std::uint64_t beyond = 0;
  double max_ratio = 0;  ///< The largest |a - b| / allowed error; infinite if nothing is allowed.
};

/// The most numbers of a dtype between any a and b.
struct RowSteps {
  std::uint32_t most = 0;
  bool is_exact = true;  ///< False, and `most` invalid, if a number is not of the dtype.
};

/// The kernels for one instruction set. All sets give the same results, equal to those of
/// `BlockKernels`. All but `sums`, `worst` and `squares` accept blocks of any size.
struct RowKernels {
  /// \param block padded with zeros
  /// \param ratios |a - b| divided by the allowed error, for each number; 0 where both are equal
  RowSums (*sums)(const FloatBlock& block, const Tolerance& tolerance, double* ratios);
  /// Returns the first index of the largest error among numbers with this ratio; at least one has
  /// it.
  std::size_t (*worst)(const FloatBlock& block, const double* ratios, double ratio);
  /// Sums the squares of `block.a`, for numbers that are equal on both sides.
  BlockSquares (*squares)(const FloatBlock& block);
  /// Returns the largest |a - b| / max(|b|, floor). \param floor above 0
  double (*relative)(const FloatBlock& block, double floor);
  /// Count steps between F32, BF16 and F16 numbers.
  /// @{
  RowSteps (*float_steps)(const FloatBlock& block);
  RowSteps (*bfloat16_steps)(const FloatBlock& block);
  RowSteps (*half_steps)(const FloatBlock& block);
  /// @}
};

/// Returns the kernels for the best instruction set of this processor, or the portable ones.
const RowKernels& row_kernels(bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
