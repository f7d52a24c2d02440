/// \file
/// Vectorised conversions between the pairs of dtypes most common in large tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::detail {

/// The most elements that one call of a kernel converts.
inline constexpr std::size_t kernel_elements = 2048;
/// Kernels convert multiples of this number.
inline constexpr std::size_t kernel_group = 8;

/// What a kernel counts: finite values that became infinite, values that became zero, and NaNs that
/// lost bits.
struct KernelCounts {
  std::uint64_t overflow;
  std::uint64_t underflow;
  std::uint64_t nan_changes;
};

/// Converts elements as with `Overflow::allow`, giving the same bits as `convert_exactly`.
/// \pre `count` is a multiple of `kernel_group`, and at most `kernel_elements`
using Kernel = KernelCounts (*)(const std::byte* source, std::byte* target, std::size_t count);

/// The instruction sets that kernels are compiled for.
enum class Instructions : std::uint8_t {
  baseline,  ///< what the build targets
  avx2,      ///< x86 with AVX2 and F16C
  avx512,    ///< x86 with AVX-512 F, BW, DQ and VL
};

/// Returns the best instruction set that both this build and this machine support.
Instructions best_instructions() noexcept;

/// Returns the kernel for a pair of dtypes; null if there is none.
/// \pre the machine supports the instructions
Kernel find_kernel(DType from, DType to, Instructions instructions) noexcept;

}  // namespace safestructures::inline v0::detail
