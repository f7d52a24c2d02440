/// \file
/// What most blocks need, in vector instructions: they hold finite numbers of ordinary size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <safestructures/compare/options.hpp>
#include "compare/kernels/vectors.hpp"

namespace safestructures::inline v0::comparing {

/// A block of numbers; all of one length, which is a multiple of `lanes`: zeros fill it up.
struct Block {
  std::size_t count = 0;  ///< Of the numbers themselves.
  std::span<double> a;
  std::span<double> b;
  std::span<double> difference;       ///< a - b, where it is finite.
  std::span<const double> reference;  ///< Magnitudes that |a - b| is measured beside.
  std::uint64_t first = 0;            ///< Index of the first number.
  /// Whether squares of all numbers that are finite are ordinary doubles: of every dtype but F64.
  bool is_narrow = false;
};

/// What decides on how a block is taken.
struct Range {
  bool is_finite = true;  ///< All are; the rest holds where they are.
  double most = 0;        ///< The largest magnitude of a, b and their difference.
  double least = 0;       ///< The smallest that is not zero; infinity for none.
};

/// Sums over a block, in the same order on every machine, and its largest magnitudes. Those of
/// squares are not finite where a number is not.
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

/// Of numbers that are the same on both sides; the sum is not finite where a number is not.
struct BlockSquares {
  double sum = 0;      ///< As `BlockSums::a_squares`.
  double largest = 0;  ///< Magnitude.
};

/// How a block does beside the tolerance.
struct BlockVerdict {
  std::uint64_t differing = 0;
  std::uint64_t beyond = 0;
  /// Whether the largest ratio may be as large as the one asked about.
  bool is_near = false;
};

/// The kernels of one set of instructions. Their results are the same for all.
struct BlockKernels {
  /// Fills in the difference and the reference.
  void (*subtract)(const double* a, const double* b, std::size_t count, double* difference,
                   double* reference);
  Range (*range)(const Block& block);
  BlockSums (*sums)(const Block& block);
  BlockSquares (*squares)(std::span<const double> numbers);
  /// \param near a ratio of |a - b| to what is allowed
  BlockVerdict (*judge)(const Block& block, const Tolerance& tolerance, double near);
  /// \param ratios of |a - b| to what is allowed, for each number; 0 where they are equal
  /// \returns the largest
  double (*ratios)(const Block& block, const Tolerance& tolerance, double* ratios);
  /// How many numbers of F32 lie between a and b, each rounded to F32.
  void (*float_steps)(const Block& block, std::uint64_t* steps);
  /// How many numbers of BF16, or of F16, lie between a and b. False, and nothing of use in
  /// `steps`, where one of them is no number of that dtype.
  /// @{
  bool (*bfloat16_steps)(const Block& block, std::uint64_t* steps);
  bool (*half_steps)(const Block& block, std::uint64_t* steps);
  /// @}
  /// Puts the bits that each number takes, all below 2^52, in its place. \returns the largest
  std::uint64_t (*widths)(std::uint64_t* steps, std::size_t count);
};

/// Those of the best instructions that this processor has, or the ones that every processor has.
const BlockKernels& block_kernels(bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
