#include "data/conversion/convert_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__GNUC__) && defined(__x86_64__)
#define SAFESTRUCTURES_X86_KERNELS 1
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "data/conversion/convert_formats.hpp"
#include "data/conversion/convert_pairs.hpp"

namespace safestructures::inline v0::detail {
namespace {

using ToHalf = FloatToSmall<HalfFormat>;

// The smallest magnitude that needs a second look: out of range, or a NaN.
template <class Pair>
constexpr typename Pair::Signed first_special = [] {
  if constexpr (Pair::narrows) return Pair::overflow_from;
  else return static_cast<typename Pair::Signed>(Pair::infinity + 1);
}();

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
    const Source value = load<Source>(source, i);
    const Signed magnitude = magnitude_of<Pair>(value);
    if constexpr (Pair::narrows) {
      constexpr Signed beyond = Pair::infinity + (Pair::has_infinity ? 0 : 1);
      overflow = static_cast<Signed>(overflow +
                                     ((magnitude >= Pair::overflow_from) & (magnitude < beyond)));
    }
    nan_changes = static_cast<Signed>(
        nan_changes + ((magnitude > Pair::infinity) & ((value & looked_at) != quiet_bit)));
  }
  return {.is_special = overflow != 0, .nan_changes = static_cast<std::uint64_t>(nan_changes)};
}

template <class Pair>
  requires requires { typename Pair::Integer; }
[[gnu::always_inline]] inline KernelCounts run(const std::byte* __restrict source,
                                               std::byte* __restrict target, std::size_t count) {
  using Integer = typename Pair::Integer;
  using Target = typename Pair::Target;
  Integer special = 0;
  std::int64_t inexact = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = load<Integer>(source, i);
    const auto number = static_cast<double>(value);
    const auto result = static_cast<Target>(number);
    std::memcpy(target + i * sizeof(Target), &result, sizeof(Target));
    special = static_cast<Integer>(special | static_cast<Integer>(Pair::is_special(value)));
    if constexpr (Pair::rounds) inexact += static_cast<double>(result) != number;
  }
  return {.is_special = special != 0, .inexact = static_cast<std::uint64_t>(inexact)};
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
    const Source value = load<Source>(source, i);
    const Target result = Pair::apply(value);
    std::memcpy(target + i * sizeof(Target), &result, sizeof(Target));
    const Signed magnitude = magnitude_of<Pair>(value);
    // SSE2 has a maximum only for 16-bit integers: with others, F32 to F64 took three times as
    // long.
    if constexpr (sizeof(Source) == 2) largest = std::max(largest, magnitude);
    else special += magnitude >= first_special<Pair>;
    if constexpr (Pair::narrows) underflow += (magnitude > 0) & (magnitude <= Pair::underflow_to);
  }
  KernelCounts counts;
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
  const __m256i below_special = _mm256_set1_epi32(ToHalf::overflow_from - 1);
  const __m256i underflow_to = _mm256_set1_epi32(ToHalf::underflow_to);
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
  KernelCounts total;
  const __m256i special = _mm256_cmpgt_epi32(largest, below_special);
  if (_mm256_testz_si256(special, special) == 0) total = count_special<ToHalf>(source, count);
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
  if (_mm_testz_si128(special, special) != 0) return {};
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
  if (instructions != Instructions::baseline && std::is_same_v<Pair, ToHalf>) {
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

template <class Float>
Kernel choose_integers(DType from, Instructions instructions) noexcept {
  Kernel chosen = nullptr;
  with_integer(from, [&]<class Integer>(Integer) {
    // Narrower ones go to F64 in two steps.
    if constexpr (std::is_same_v<Float, float> || sizeof(Integer) >= sizeof(float))
      chosen = choose<IntegerToFloat<Integer, Float>>(instructions);
  });
  return chosen;
}

// Whether two steps count all that is lost: the second does not count integers that it rounds, and
// has none to count if the target holds as many bits.
bool has_two_steps(DType from, DType to) noexcept {
  if (is_floating(from)) return true;
  return to == DType::F64 ? bit_width(from) <= 16 : bit_width(from) == 8 && bit_width(to) == 16;
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
  if (from == DType::F64 && to == DType::F32) return choose<DoubleToFloat>(instructions);
  if (from != DType::F32) {
    if (to == DType::F32) return choose_integers<float>(from, instructions);
    if (to == DType::F64) return choose_integers<double>(from, instructions);
    return nullptr;
  }
  switch (to) {
    case DType::F64: return choose<FloatToDouble>(instructions);
    case DType::F16: return choose<ToHalf>(instructions);
    case DType::BF16: return choose<FloatToBfloat16>(instructions);
    case DType::F8_E5M2: return choose<FloatToSmall<Float8E5M2Format>>(instructions);
    case DType::F8_E4M3: return choose<FloatToSmall<Float8E4M3Format>>(instructions);
    default: return nullptr;
  }
}

KernelSteps::KernelSteps(DType from, DType to, Instructions instructions) noexcept
    : first_(find_kernel(from, to, instructions)),
      source_width_(bit_width(from) / 8),
      target_width_(bit_width(to) / 8) {
  if (first_ != nullptr || !has_two_steps(from, to)) return;
  second_ = find_kernel(DType::F32, to, instructions);
  if (second_ == nullptr) return;
  first_ = from == DType::F64 ? choose<DoubleToOddFloat>(instructions)
                              : find_kernel(from, DType::F32, instructions);
}

std::optional<KernelCounts> KernelSteps::run(const std::byte* source, std::byte* target,
                                             std::size_t count) const {
  const std::size_t whole = count / kernel_group * kernel_group;
  std::optional<KernelCounts> counts = run_groups(source, target, whole);
  if (!counts || whole == count) return counts;
  // Zeros fill the last group: no pair of dtypes loses anything of them.
  std::array<std::byte, kernel_group * sizeof(double)> last{};
  std::array<std::byte, last.size()> converted;
  std::memcpy(last.data(), source + whole * source_width_, (count - whole) * source_width_);
  const auto more = run_groups(last.data(), converted.data(), kernel_group);
  if (!more) return std::nullopt;
  std::memcpy(target + whole * target_width_, converted.data(), (count - whole) * target_width_);
  counts->underflow += more->underflow;
  counts->nan_changes += more->nan_changes;
  counts->inexact += more->inexact;
  return counts;
}

std::optional<KernelCounts> KernelSteps::run_groups(const std::byte* source, std::byte* target,
                                                    std::size_t count) const {
  if (count == 0) return KernelCounts{};
  if (second_ == nullptr) {
    const KernelCounts counts = first_(source, target, count);
    return counts.is_special ? std::nullopt : std::optional(counts);
  }
  alignas(64) std::array<std::byte, kernel_elements * sizeof(float)> singles;
  const KernelCounts before = first_(source, singles.data(), count);
  // A NaN may lose bits twice, and is counted once.
  if (before.is_special || before.nan_changes != 0) return std::nullopt;
  const KernelCounts counts = second_(singles.data(), target, count);
  if (counts.is_special || counts.nan_changes != 0) return std::nullopt;
  return counts;
}

}  // namespace safestructures::inline v0::detail
