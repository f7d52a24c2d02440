/// \file
/// Steps between numbers of BF16 and F16, counted on their words: as floats they are twice as wide,
/// and their places have to be found again.
#pragma once

#include <cstddef>

#include <safestructures/data/dtype.hpp>
#include "compare/kernels/float_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// Numbers of 16 bits in the order of this machine, wherever they begin; at most 65,535.
struct WordBlock {
  std::size_t count = 0;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
};

/// Whether the steps of two tensors can be counted on their words: both have the dtype of 16 bits
/// in which steps are counted.
inline bool has_words(DType a, DType b, DType grid) noexcept {
  return a == b && a == grid && bit_width(a) == 16;
}

/// What `FloatKernels::steps` finds of the same numbers as floats, whatever the instructions.
/// \param dtype BF16 or F16 \param baseline by the instructions that every processor has
FloatSteps word_steps(DType dtype, const WordBlock& block, const StepWidths& widths,
                      bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
