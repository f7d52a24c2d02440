/// \file
/// Vectorised conversions of the pairs of dtypes that large tensors meet most.
#pragma once

#include <cstddef>
#include <cstdint>

#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::detail {

/// Elements that one call of a kernel converts at most.
inline constexpr std::size_t kernel_elements = 2048;
/// It converts a multiple of that many.
inline constexpr std::size_t kernel_group = 8;

/// What a kernel saw: finite values that became infinite, values that became zero, and NaNs that
/// lost bits.
struct KernelCounts {
  std::uint64_t overflow;
  std::uint64_t underflow;
  std::uint64_t nan_changes;
};

/// Converts elements as under `Overflow::allow`; bit for bit what `convert_exactly` gives.
/// \pre `count` is a multiple of `kernel_group`, and `kernel_elements` at most
using Kernel = KernelCounts (*)(const std::byte* source, std::byte* target, std::size_t count);

/// Instruction sets that kernels are compiled for.
enum class Instructions : std::uint8_t {
  baseline,  ///< what the build targets
  avx2,      ///< x86 with AVX2 and F16C
  avx512,    ///< x86 with AVX-512 F, BW, DQ and VL
};

/// The best instructions that this build and this machine have.
Instructions best_instructions() noexcept;

/// The kernel for a pair, or null where there is none.
/// \pre the machine has the instructions
Kernel find_kernel(DType from, DType to, Instructions instructions) noexcept;

}  // namespace safestructures::inline v0::detail
