#include "data/conversion/convert_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__GNUC__) && defined(__x86_64__)
#define SAFESTRUCTURES_X86_KERNELS 1
#include <cpuid.h>
#include <immintrin.h>

#include <array>
#endif

namespace safestructures::inline v0::detail {
namespace {

// Each pair is branch-free, so that compilers vectorise the loop below. Comparisons are of signed
// integers: SSE2 and AVX2 have no others. Selections use a mask: GCC turns `?:` around
// floating-point operations, which might trap, into a branch.

std::uint32_t select(bool condition, std::uint32_t yes, std::uint32_t no) noexcept {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

struct HalfToFloat {
  using Source = std::uint16_t;
  using Target = std::uint32_t;
  using Signed = std::int16_t;
  static constexpr bool narrows = false;
  static constexpr Signed infinity = 0x7C00;
  static constexpr Source lost_bits = 0;

  static Target apply(Source source) noexcept {
    const auto magnitude = static_cast<std::int32_t>(source & 0x7FFFU);
    const std::uint32_t shifted = static_cast<std::uint32_t>(magnitude) << 13U;
    const std::uint32_t sign = (source & 0x8000U) << 16U;
    const std::uint32_t normal = shifted + 0x3800'0000U;
    const auto subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F);
    const std::uint32_t quiet = select(magnitude > 0x7C00, 0x0040'0000U, 0U);
    const std::uint32_t special = shifted | 0x7F80'0000U | quiet;
    const std::uint32_t finite = select(magnitude < 0x0400, subnormal, normal);
    return sign | select(magnitude < 0x7C00, finite, special);
  }
};

struct Bfloat16ToFloat {
  using Source = std::uint16_t;
  using Target = std::uint32_t;
  using Signed = std::int16_t;
  static constexpr bool narrows = false;
  static constexpr Signed infinity = 0x7F80;
  static constexpr Source lost_bits = 0;

  static Target apply(Source source) noexcept {
    const std::uint32_t shifted = std::uint32_t{source} << 16U;
    const auto magnitude = static_cast<std::int32_t>(shifted & 0x7FFF'FFFFU);
    return shifted | select(magnitude > 0x7F80'0000, 0x0040'0000U, 0U);
  }
};

struct FloatToDouble {
  using Source = std::uint32_t;
  using Target = double;
  using Signed = std::int32_t;
  static constexpr bool narrows = false;
  static constexpr Signed infinity = 0x7F80'0000;
  static constexpr Source lost_bits = 0;

  static Target apply(Source source) noexcept { return std::bit_cast<float>(source); }
};

struct FloatToHalf {
  using Source = std::uint32_t;
  using Target = std::uint16_t;
  using Signed = std::int32_t;
  static constexpr bool narrows = true;
  static constexpr Signed overflow_from = 0x477F'F000;  // 65520, half way to 2^16
  static constexpr Signed infinity = 0x7F80'0000;
  static constexpr Signed underflow_to = 0x3300'0000;  // 2^-25, half the smallest number
  static constexpr Source lost_bits = 0x1FFF;

  static Target apply(Source source) noexcept {
    const std::uint32_t magnitude = source & 0x7FFF'FFFFU;
    const auto compared = static_cast<std::int32_t>(magnitude);
    const std::uint32_t sign = source >> 16U & 0x8000U;
    const std::uint32_t odd = magnitude >> 13U & 1U;
    const std::uint32_t normal = (magnitude - 0x3800'0000U + 0x0FFFU + odd) >> 13U;
    // Added to 0.5, whose last bit is 2^-24, a number is rounded to a multiple of the subnormal
    // step.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F00'0000U;
    const std::uint32_t nan = 0x7E00U | (magnitude >> 13U & 0x03FFU);
    const std::uint32_t finite = select(compared < 0x3880'0000, subnormal, normal);
    const std::uint32_t infinite = select(compared > infinity, nan, 0x7C00U);
    return static_cast<Target>(sign | select(compared < overflow_from, finite, infinite));
  }
};

struct FloatToBfloat16 {
  using Source = std::uint32_t;
  using Target = std::uint16_t;
  using Signed = std::int32_t;
  static constexpr bool narrows = true;
  static constexpr Signed overflow_from = 0x7F7F'8000;
  static constexpr Signed infinity = 0x7F80'0000;
  static constexpr Signed underflow_to = 0x0000'8000;
  static constexpr Source lost_bits = 0xFFFF;

  static Target apply(Source source) noexcept {
    const auto magnitude = static_cast<std::int32_t>(source & 0x7FFF'FFFFU);
    const std::uint32_t rounded = (source + 0x7FFFU + (source >> 16U & 1U)) >> 16U;
    const std::uint32_t nan = source >> 16U | 0x0040U;
    return static_cast<Target>(select(magnitude > infinity, nan, rounded));
  }
};

struct DoubleToFloat {
  using Source = std::uint64_t;
  using Target = float;
  using Signed = std::int64_t;
  static constexpr bool narrows = true;
  static constexpr Signed overflow_from = 0x47EF'FFFF'F000'0000;  // 2^128 - 2^103
  static constexpr Signed infinity = 0x7FF0'0000'0000'0000;
  static constexpr Signed underflow_to = 0x3690'0000'0000'0000;  // 2^-150
  static constexpr Source lost_bits = 0x1FFF'FFFF;

  static Target apply(Source source) noexcept {
    return static_cast<float>(std::bit_cast<double>(source));
  }
};

// The smallest magnitude that needs a second look: out of range, or a NaN.
template <class Pair>
constexpr typename Pair::Signed first_special = [] {
  if constexpr (Pair::narrows) return Pair::overflow_from;
  else return static_cast<typename Pair::Signed>(Pair::infinity + 1);
}();

template <class Pair>
[[gnu::always_inline]] inline typename Pair::Source load(const std::byte* source, std::size_t i) {
  typename Pair::Source value;
  std::memcpy(&value, source + i * sizeof(value), sizeof(value));
  return value;
}

template <class Pair>
[[gnu::always_inline]] inline typename Pair::Signed magnitude_of(typename Pair::Source value) {
  constexpr auto mask = std::numeric_limits<typename Pair::Signed>::max();
  return static_cast<typename Pair::Signed>(value & static_cast<typename Pair::Source>(mask));
}

// Counts what is rare enough for a second look at the block: numbers out of range and NaNs. NaNs
// that were signalling, or have payload in the lost bits, have changed.
template <class Pair>
[[gnu::always_inline]] inline KernelCounts count_special(const std::byte* source,
                                                         std::size_t count) {
  using Source = typename Pair::Source;
  using Signed = typename Pair::Signed;
  constexpr auto quiet_bit = static_cast<Source>((Pair::infinity >> 1) & ~Pair::infinity);
  constexpr auto looked_at = static_cast<Source>(quiet_bit | Pair::lost_bits);
  Signed overflow = 0;
  Signed nan_changes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Source value = load<Pair>(source, i);
    const Signed magnitude = magnitude_of<Pair>(value);
    if constexpr (Pair::narrows) {
      overflow = static_cast<Signed>(
          overflow + ((magnitude >= Pair::overflow_from) & (magnitude < Pair::infinity)));
    }
    nan_changes = static_cast<Signed>(
        nan_changes + ((magnitude > Pair::infinity) & ((value & looked_at) != quiet_bit)));
  }
  return {static_cast<std::uint64_t>(overflow), 0, static_cast<std::uint64_t>(nan_changes)};
}

template <class Pair>
[[gnu::always_inline]] inline KernelCounts run(const std::byte* __restrict source,
                                               std::byte* __restrict target, std::size_t count) {
  using Source = typename Pair::Source;
  using Target = typename Pair::Target;
  using Signed = typename Pair::Signed;
  Signed largest = 0;
  Signed special = 0;
  Signed underflow = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Source value = load<Pair>(source, i);
    const Target result = Pair::apply(value);
    std::memcpy(target + i * sizeof(Target), &result, sizeof(Target));
    const Signed magnitude = magnitude_of<Pair>(value);
    // SSE2 has a maximum only for 16-bit integers: with others, F32 to F64 took three times as
    // long.
    if constexpr (sizeof(Source) == 2) largest = std::max(largest, magnitude);
    else special += magnitude >= first_special<Pair>;
    if constexpr (Pair::narrows) underflow += (magnitude > 0) & (magnitude <= Pair::underflow_to);
  }
  KernelCounts counts{0, 0, 0};
  if (special != 0 || largest >= first_special<Pair>) counts = count_special<Pair>(source, count);
  counts.underflow = static_cast<std::uint64_t>(underflow);
  return counts;
}

template <class Pair>
KernelCounts run_baseline(const std::byte* source, std::byte* target, std::size_t count) {
  return run<Pair>(source, target, count);
}

#if SAFESTRUCTURES_X86_KERNELS
template <class Pair>
[[gnu::target("avx2,f16c")]] KernelCounts run_avx2(const std::byte* source, std::byte* target,
                                                   std::size_t count) {
  return run<Pair>(source, target, count);
}

template <class Pair>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] KernelCounts run_avx512(
    const std::byte* source, std::byte* target, std::size_t count) {
  return run<Pair>(source, target, count);
}

// Rounding to half takes some twenty instructions; the processor's own makes this kernel three
// times as fast with AVX2.
[[gnu::target("avx2,f16c")]] KernelCounts run_float_to_half(const std::byte* source,
                                                            std::byte* target, std::size_t count) {
  const __m256i below_special = _mm256_set1_epi32(FloatToHalf::overflow_from - 1);
  const __m256i underflow_to = _mm256_set1_epi32(FloatToHalf::underflow_to);
  const __m256i magnitude_mask = _mm256_set1_epi32(0x7FFF'FFFF);
  __m256i largest = _mm256_setzero_si256();
  __m256i underflow = _mm256_setzero_si256();
  for (std::size_t i = 0; i < count; i += kernel_group) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i * 4));
    const __m128i halves = _mm256_cvtps_ph(_mm256_castsi256_ps(values), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + i * 2), halves);
    const __m256i magnitudes = _mm256_and_si256(values, magnitude_mask);
    const __m256i not_zero = _mm256_cmpgt_epi32(magnitudes, _mm256_setzero_si256());
    const __m256i not_small = _mm256_cmpgt_epi32(magnitudes, underflow_to);
    largest = _mm256_max_epi32(largest, magnitudes);
    underflow = _mm256_sub_epi32(underflow, _mm256_andnot_si256(not_small, not_zero));
  }
  std::array<std::uint32_t, 8> counts;
  KernelCounts total{0, 0, 0};
  const __m256i special = _mm256_cmpgt_epi32(largest, below_special);
  if (_mm256_testz_si256(special, special) == 0) total = count_special<FloatToHalf>(source, count);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts.data()), underflow);
  for (const std::uint32_t lane : counts) total.underflow += lane;
  return total;
}

// Converting from half is also one instruction, instead of some twenty.
[[gnu::target("avx2,f16c")]] KernelCounts run_half_to_float(const std::byte* source,
                                                            std::byte* target, std::size_t count) {
  const __m128i below_special = _mm_set1_epi16(first_special<HalfToFloat> - 1);
  const __m128i magnitude_mask = _mm_set1_epi16(0x7FFF);
  __m128i largest = _mm_setzero_si128();
  for (std::size_t i = 0; i < count; i += kernel_group) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i * 2));
    const __m256i floats = _mm256_castps_si256(_mm256_cvtph_ps(values));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + i * 4), floats);
    largest = _mm_max_epi16(largest, _mm_and_si128(values, magnitude_mask));
  }
  const __m128i special = _mm_cmpgt_epi16(largest, below_special);
  if (_mm_testz_si128(special, special) != 0) return {0, 0, 0};
  return count_special<HalfToFloat>(source, count);
}

bool has_f16c() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

template <class Pair>
Kernel choose(Instructions instructions) noexcept {
#if SAFESTRUCTURES_X86_KERNELS
  if (instructions != Instructions::baseline && std::is_same_v<Pair, FloatToHalf>) {
    return run_float_to_half;
  }
  if (instructions != Instructions::baseline && std::is_same_v<Pair, HalfToFloat>) {
    return run_half_to_float;
  }
  if (instructions == Instructions::avx512) return run_avx512<Pair>;
  if (instructions == Instructions::avx2) return run_avx2<Pair>;
#else
  static_cast<void>(instructions);
#endif
  return run_baseline<Pair>;
}

Instructions detect_instructions() noexcept {
#if SAFESTRUCTURES_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return Instructions::avx512;
  }
  if (__builtin_cpu_supports("avx2") && has_f16c()) return Instructions::avx2;
#endif
  return Instructions::baseline;
}

}  // namespace

Instructions best_instructions() noexcept {
  // Once: in a virtual machine, `cpuid` causes an exit, which takes some 10 us.
  static const Instructions best = detect_instructions();
  return best;
}

Kernel find_kernel(DType from, DType to, Instructions instructions) noexcept {
  if (from == DType::F16 && to == DType::F32) return choose<HalfToFloat>(instructions);
  if (from == DType::BF16 && to == DType::F32) return choose<Bfloat16ToFloat>(instructions);
  if (from == DType::F32 && to == DType::F64) return choose<FloatToDouble>(instructions);
  if (from == DType::F32 && to == DType::F16) return choose<FloatToHalf>(instructions);
  if (from == DType::F32 && to == DType::BF16) return choose<FloatToBfloat16>(instructions);
  if (from == DType::F64 && to == DType::F32) return choose<DoubleToFloat>(instructions);
  return nullptr;
}

}  // namespace safestructures::inline v0::detail
