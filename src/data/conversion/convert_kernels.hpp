/// \file
/// Vectorised conversions between the pairs of dtypes most common in large tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::detail {

/// The most elements that one call of a kernel converts.
inline constexpr std::size_t kernel_elements = 2048;
/// Kernels convert multiples of this number.
inline constexpr std::size_t kernel_group = 8;

/// What a kernel says of the elements that it converted.
struct KernelCounts {
  /// Whether some must be converted otherwise: finite values that became infinite, integers beyond
  /// 2^53, bytes that are no truth value.
  bool is_special = false;
  std::uint64_t underflow = 0;    ///< Values that became zero.
  std::uint64_t nan_changes = 0;  ///< NaNs that lost bits.
  std::uint64_t inexact = 0;      ///< Integers that were rounded.
};

/// Converts elements as with `Overflow::allow`, giving the same bits as `convert_exactly` unless
/// some are special.
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

/// One kernel, or two with F32 between: from F16, BF16 or F64 to any dtype that F32 has a kernel
/// for, and from integers to floats that hold them. The first step loses nothing that matters to
/// the second: doubles are rounded to odd.
class KernelSteps {
 public:
  /// There may be none. \pre the machine supports the instructions
  KernelSteps(DType from, DType to, Instructions instructions) noexcept;

  explicit operator bool() const noexcept { return first_ != nullptr; }

  /// Converts elements as a `Kernel`. Returns nothing if they must be converted exactly: if a
  /// number overflows, or if a NaN loses bits in one of two steps.
  /// \pre there are such kernels; `count` is at most `kernel_elements`
  std::optional<KernelCounts> run(const std::byte* source, std::byte* target,
                                  std::size_t count) const;

 private:
  std::optional<KernelCounts> run_groups(const std::byte* source, std::byte* target,
                                         std::size_t count) const;

  Kernel first_;
  Kernel second_ = nullptr;
  std::size_t source_width_;
  std::size_t target_width_;
};

}  // namespace safestructures::inline v0::detail
