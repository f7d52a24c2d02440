/// \file
/// Counts steps between BF16 and F16 numbers on their 16-bit words: as floats they are twice as
/// wide and their ranks have to be recomputed.
#pragma once

#include <cstddef>

#include <safestructures/data/dtype.hpp>
#include "compare/kernels/float_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// At most 65,535 numbers of 16 bits in native byte order, possibly unaligned.
struct WordBlock {
  std::size_t count = 0;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
};

/// Whether the steps between two tensors can be counted on their words: both have the 16-bit dtype
/// in which steps are counted.
inline bool has_words(DType a, DType b, DType grid) noexcept {
  return a == b && a == grid && bit_width(a) == 16;
}

/// Returns the same as `FloatKernels::steps` for the same numbers as floats, with any instruction
/// set.
/// \param dtype BF16 or F16 \param baseline use only instructions that every processor has
FloatSteps word_steps(DType dtype, const WordBlock& block, const StepWidths& widths,
                      bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
