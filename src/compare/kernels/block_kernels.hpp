/// \file
/// Vectorised kernels for the usual block: finite numbers of ordinary size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <safestructures/compare/options.hpp>
#include "compare/kernels/vectors.hpp"

namespace safestructures::inline v0::comparing {

/// A block of numbers. All spans have the same length, a multiple of `lanes`, padded with zeros.
struct Block {
  std::size_t count = 0;  ///< Without the padding.
  std::span<double> a;
  std::span<double> b;
  std::span<double> difference;  ///< a - b; finite only if both are.
  std::span<double> reference;   ///< The magnitudes that |a - b| is compared with.
  std::uint64_t first = 0;       ///< Index of the first number.
  /// Whether the squares of all finite numbers are ordinary doubles: true for every dtype but F64.
  bool is_narrow = false;
};

/// Decides how a block is processed.
struct Range {
  bool is_finite = true;  ///< Whether all numbers are finite; the other fields are valid only then.
  double most = 0;        ///< The largest magnitude in a, b and the difference.
  double least = 0;       ///< The smallest magnitude that is not zero; infinity if there is none.
};

/// Sums over a block, added in the same order on every machine, and its largest magnitudes. The
/// sums of squares are not finite if a number is not.
struct BlockSums {
  double errors = 0;
  double absolute = 0;
  double squares = 0;
  double a_squares = 0;
  double b_squares = 0;
  double square_difference = 0;
  double largest_b = 0;
  double largest_difference = 0;
};

/// Squares of numbers that are equal on both sides. The sum is not finite if a number is not.
struct BlockSquares {
  double sum = 0;      ///< Same as `BlockSums::a_squares`.
  double largest = 0;  ///< The largest magnitude.
};

/// The result of checking a block against the tolerance.
struct BlockVerdict {
  std::uint64_t differing = 0;
  std::uint64_t beyond = 0;
  /// Whether the largest ratio may reach the one passed in.
  bool is_near = false;
};

/// The kernels for one instruction set. All sets give the same results.
struct BlockKernels {
  /// Computes the difference and the reference.
  void (*subtract)(const double* a, const double* b, std::size_t count, double* difference,
                   double* reference);
  Range (*range)(const Block& block);
  BlockSums (*sums)(const Block& block);
  BlockSquares (*squares)(std::span<const double> numbers);
  /// \param near a ratio of |a - b| to the allowed error
  BlockVerdict (*judge)(const Block& block, const Tolerance& tolerance, double near);
  /// \param ratios |a - b| divided by the allowed error, for each number; 0 where both are equal
  /// \returns the largest ratio
  double (*ratios)(const Block& block, const Tolerance& tolerance, double* ratios);
  /// Counts how many F32 numbers lie between a and b, each rounded to F32.
  void (*float_steps)(const Block& block, std::uint64_t* steps);
  /// Counts how many BF16 (or F16) numbers lie between a and b. Returns false, with `steps`
  /// unspecified, if a number is not representable in that dtype.
  /// @{
  bool (*bfloat16_steps)(const Block& block, std::uint64_t* steps);
  bool (*half_steps)(const Block& block, std::uint64_t* steps);
  /// @}
  /// Replaces each number, all below 2^52, with its bit width. \returns the largest width
  std::uint64_t (*widths)(std::uint64_t* steps, std::size_t count);
};

/// Returns the kernels for the best instruction set of this processor, or the portable ones.
const BlockKernels& block_kernels(bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
