/// \file
/// Blocks of numbers that are floats on both sides, which most tensors are: everything about them
/// in two passes over the bytes of the tensors themselves.
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

/// Numbers of a block that are looked at again together.
inline constexpr std::size_t run_size = 64;
inline constexpr std::size_t most_runs = 32;

struct FloatBlock {
  std::size_t count = 0;  ///< A multiple of `lanes`, at most `run_size * most_runs`.
  /// Floats in the order of this machine, wherever they begin.
  /// @{
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  /// @}
};

/// Whether a block may be made of numbers of a dtype: all of them are floats.
constexpr bool are_floats(DType dtype) noexcept {
  return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
}

/// One of them.
inline double float_at(const std::byte* floats, std::size_t i) {
  float number;
  std::memcpy(&number, floats + i * sizeof number, sizeof number);
  return static_cast<double>(number);
}

/// What is rare, and is looked at again.
struct FloatWatch {
  Tolerance tolerance;
  double ratio = 0;  ///< Of |a - b| to what is allowed, at least.
  /// Of |a - b| that is larger than both: itself, and beside |b|.
  /// @{
  double absolute = 0;
  double relative = 0;
  /// @}
};

struct FloatSums : BlockSums {               ///< Without `largest_b`.
  std::uint64_t beyond = 0;                  ///< Where |a - b| is more than what is allowed.
  std::array<bool, most_runs> is_watched{};  ///< Whether a run holds a number that is watched.
};

/// Numbers of bits that steps may take, each from 2 to 33.
using StepWidths = std::array<unsigned, 9>;

struct FloatSteps {
  std::uint64_t differing = 0;
  std::uint32_t most = 0;  ///< How many numbers of the dtype lie between a and b, at most.
  float largest_b = 0;     ///< Magnitude.
  /// How many are apart by steps that take as many bits, or more, for each width.
  std::array<std::uint64_t, std::tuple_size_v<StepWidths>> at_least{};
  bool is_exact = true;  ///< Whether all are numbers of the dtype; nothing else holds if not.
};

struct FloatKernels {
  FloatSums (*sums)(const FloatBlock& block, const FloatWatch& watch);
  /// Which groups of `lanes` numbers of a run hold one that is watched: a bit each.
  std::uint32_t (*watched_in)(const FloatBlock& block, const FloatWatch& watch, std::size_t run);
  /// Steps among the numbers of F32, BF16 and F16.
  /// @{
  FloatSteps (*float_steps)(const FloatBlock& block, const StepWidths& widths);
  FloatSteps (*bfloat16_steps)(const FloatBlock& block, const StepWidths& widths);
  FloatSteps (*half_steps)(const FloatBlock& block, const StepWidths& widths);
  /// @}

  /// Those of a dtype: one of these three.
  [[nodiscard]] FloatSteps steps(DType dtype, const FloatBlock& block,
                                 const StepWidths& widths) const {
    switch (dtype) {
      case DType::BF16: return bfloat16_steps(block, widths);
      case DType::F16: return half_steps(block, widths);
      default: return float_steps(block, widths);
    }
  }
};

/// Those of the best instructions that this processor has, or the ones that every processor has.
const FloatKernels& float_kernels(bool baseline = false) noexcept;

}  // namespace safestructures::inline v0::comparing
