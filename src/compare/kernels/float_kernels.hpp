/// \file
/// Kernels for blocks that are floats on both sides, as in most tensors: all metrics in two passes
/// over the tensors' own bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>

#include <safestructures/compare/options.hpp>
#include <safestructures/data/dtype.hpp>
#include "compare/kernels/block_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// The size of a run: numbers that are inspected again together.
inline constexpr std::size_t run_size = 64;
inline constexpr std::size_t most_runs = 32;

struct FloatBlock {
  std::size_t count = 0;  ///< A multiple of `lanes`, at most `run_size * most_runs`.
  /// Floats in native byte order, possibly unaligned.
  /// @{
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  /// @}
};

/// Whether a block can hold numbers of this dtype: each must be exactly representable as a float.
constexpr bool are_floats(DType dtype) noexcept {
  return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
}

/// Returns one number of a block.
inline double float_at(const std::byte* floats, std::size_t i) {
  float number;
  std::memcpy(&number, floats + i * sizeof number, sizeof number);
  return static_cast<double>(number);
}

/// Thresholds for rare numbers, which are inspected again.
struct FloatWatch {
  Tolerance tolerance;
  double ratio = 0;  ///< Numbers at or above this ratio of |a - b| to the allowed error.
  /// Numbers whose |a - b| exceeds both: `absolute`, and `relative` times |b|.
  /// @{
  double absolute = 0;
  double relative = 0;
  /// @}
};

struct FloatSums : BlockSums {               ///< Does not set `largest_b`.
  std::uint64_t beyond = 0;                  ///< Where |a - b| exceeds the allowed error.
  std::array<bool, most_runs> is_watched{};  ///< Whether a run holds a watched number.
};

/// Bit widths of step counts, each from 2 to 33.
using StepWidths = std::array<unsigned, 9>;

struct FloatSteps {
  std::uint64_t differing = 0;
  std::uint32_t most = 0;  ///< The most numbers of the dtype between any a and b.
  float largest_b = 0;     ///< The largest |b|.
  /// For each width, how many pairs differ by steps of at least that many bits.
  std::array<std::uint64_t, std::tuple_size_v<StepWidths>> at_least{};
  bool is_exact = true;  ///< False, and all else invalid, if a number is not of the dtype.
};

struct FloatKernels {
  FloatSums (*sums)(const FloatBlock& block, const FloatWatch& watch);
  /// Returns a bit for each group of `lanes` numbers in a run: set if one of them is watched.
  std::uint32_t (*watched_in)(const FloatBlock& block, const FloatWatch& watch, std::size_t run);
  /// Count steps between F32, BF16 and F16 numbers.
  /// @{
  FloatSteps (*float_steps)(const FloatBlock& block, const StepWidths& widths);
  FloatSteps (*bfloat16_steps)(const FloatBlock& block, const StepWidths& widths);
  FloatSteps (*half_steps)(const FloatBlock& block, const StepWidths& widths);
  /// @}

  /// Calls the kernel for a dtype: F32, BF16 or F16.
  [[nodiscard]] FloatSteps steps(DType dtype, const FloatBlock& block,
                                 const StepWidths& widths) const {
    switch (dtype) {
      case DType::BF16: return bfloat16_steps(block, widths);
      case DType::F16: return half_steps(block, widths);
      default: return float_steps(block, widths);
    }
  }
};

/// Returns the kernels for the best instruction set of this processor, or the portable ones.
const FloatKernels& float_kernels(bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
