/// \file
/// Small tensors of floats, in vector instructions: each once, since its start costs as much as 64
/// numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <safestructures/compare/options.hpp>
#include "compare/kernels/block_kernels.hpp"
#include "compare/kernels/float_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// What is found in one go over both sides.
struct RowSums : BlockSums {
  std::uint64_t differing = 0;
  std::uint64_t beyond = 0;
  double max_ratio = 0;  ///< Of |a - b| to what is allowed; infinite where nothing is.
};

/// How many numbers of a dtype lie between a and b, at most.
struct RowSteps {
  std::uint32_t most = 0;
  bool is_exact = true;  ///< Whether all are numbers of the dtype; nothing else holds if not.
};

/// The kernels of one set of instructions. Their results are the same for all, and those of
/// `BlockKernels`. All but `sums`, `worst` and `squares` take blocks of any size.
struct RowKernels {
  /// \param block filled up with zeros
  /// \param ratios of |a - b| to what is allowed, for each number; 0 where the sides are equal
  RowSums (*sums)(const FloatBlock& block, const Tolerance& tolerance, double* ratios);
  /// The first place of the largest error among those whose ratio is that, which one has.
  std::size_t (*worst)(const FloatBlock& block, const double* ratios, double ratio);
  /// Of numbers that are the same on both sides: those of `block.a`.
  BlockSquares (*squares)(const FloatBlock& block);
  /// The largest of |a - b| / max(|b|, floor). \param floor above 0
  double (*relative)(const FloatBlock& block, double floor);
  /// Steps among the numbers of F32, BF16 and F16.
  /// @{
  RowSteps (*float_steps)(const FloatBlock& block);
  RowSteps (*bfloat16_steps)(const FloatBlock& block);
  RowSteps (*half_steps)(const FloatBlock& block);
  /// @}
};

/// Those of the best instructions that this processor has, or the ones that every processor has.
const RowKernels& row_kernels(bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
