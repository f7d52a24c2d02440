/// \file
/// What one number becomes in each of the conversions that have kernels.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <safestructures/data/minifloat.hpp>

// Each pair is branch-free, so that compilers vectorise the loops over it. Comparisons are of
// signed integers: SSE2 and AVX2 have no others. Blending uses a mask: GCC turns `?:` around
// floating-point operations, which might trap, into a branch.
namespace safestructures::inline v0::detail {

/// Returns `yes` if `condition` holds, and else `no`.
inline std::uint32_t blend(bool condition, std::uint32_t yes, std::uint32_t no) noexcept {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

/// F16 to F32.
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
    const std::uint32_t quiet = blend(magnitude > 0x7C00, 0x0040'0000U, 0U);
    const std::uint32_t special = shifted | 0x7F80'0000U | quiet;
    const std::uint32_t finite = blend(magnitude < 0x0400, subnormal, normal);
    return sign | blend(magnitude < 0x7C00, finite, special);
  }
};

/// BF16 to F32.
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
    return shifted | blend(magnitude > 0x7F80'0000, 0x0040'0000U, 0U);
  }
};

/// F32 to F64.
struct FloatToDouble {
  using Source = std::uint32_t;
  using Target = double;
  using Signed = std::int32_t;
  static constexpr bool narrows = false;
  static constexpr Signed infinity = 0x7F80'0000;
  static constexpr Source lost_bits = 0;

  static Target apply(Source source) noexcept { return std::bit_cast<float>(source); }
};

/// F32 to a format of fewer exponent bits: F16, F8_E5M2 or F8_E4M3.
template <class Format>
struct FloatToSmall {
  using Source = std::uint32_t;
  using Target = typename Format::Bits;
  using Signed = std::int32_t;
  static constexpr bool narrows = true;
  static constexpr bool has_infinity = Format::has_infinity;
  static constexpr unsigned gap = 23 - Format::fraction_bits;
  // Half way from the largest number to the next code, which is even if the largest is odd.
  static constexpr Signed overflow_from = std::bit_cast<Signed>(Format::decode(Format::largest)) +
                                          (1 << (gap - 1)) +
                                          static_cast<Signed>(~Format::largest & 1U);
  static constexpr Signed infinity = 0x7F80'0000;
  // The power of two of the smallest number, in F32's exponent field.
  static constexpr Signed smallest =
      127 + Format::min_exponent - static_cast<Signed>(Format::fraction_bits);
  static constexpr Signed underflow_to = (smallest - 1) << 23;
  static constexpr Source lost_bits =
      Format::has_infinity ? (1U << gap) - 1U : 0x003F'FFFFU;  // else NaN has no payload

  static Target apply(Source source) noexcept {
    constexpr unsigned sign_shift = 32 - Format::width;
    constexpr std::uint32_t rebias = std::uint32_t{127 - Format::bias} << 23U;
    constexpr auto normal_from = static_cast<std::int32_t>((127 + Format::min_exponent) << 23);
    // A number whose last bit is the smallest number: what is added to it is rounded to a multiple
    // of that.
    constexpr std::uint32_t rounder = static_cast<std::uint32_t>(smallest + 23) << 23U;
    const std::uint32_t magnitude = source & 0x7FFF'FFFFU;
    const auto compared = static_cast<std::int32_t>(magnitude);
    const std::uint32_t sign = source >> sign_shift & Format::sign_bit;
    const std::uint32_t odd = magnitude >> gap & 1U;
    const std::uint32_t normal = (magnitude - rebias + ((1U << (gap - 1)) - 1U) + odd) >> gap;
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) +
                                                                 std::bit_cast<float>(rounder)) -
                                    rounder;
    const std::uint32_t finite = blend(compared < normal_from, subnormal, normal);
    std::uint32_t special = Format::quiet_nan;
    if constexpr (has_infinity) {
      const std::uint32_t payload = magnitude >> gap & ~Format::infinity & Format::magnitude_mask;
      special = blend(compared > infinity, Format::quiet_nan | payload, Format::infinity);
    }
    return static_cast<Target>(sign | blend(compared < overflow_from, finite, special));
  }
};

/// F32 to BF16.
struct FloatToBfloat16 {
  using Source = std::uint32_t;
  using Target = std::uint16_t;
  using Signed = std::int32_t;
  static constexpr bool narrows = true;
  static constexpr bool has_infinity = true;
  static constexpr Signed overflow_from = 0x7F7F'8000;
  static constexpr Signed infinity = 0x7F80'0000;
  static constexpr Signed underflow_to = 0x0000'8000;
  static constexpr Source lost_bits = 0xFFFF;

  static Target apply(Source source) noexcept {
    const auto magnitude = static_cast<std::int32_t>(source & 0x7FFF'FFFFU);
    const std::uint32_t rounded = (source + 0x7FFFU + (source >> 16U & 1U)) >> 16U;
    const std::uint32_t nan = source >> 16U | 0x0040U;
    return static_cast<Target>(blend(magnitude > infinity, nan, rounded));
  }
};

/// F64 to F32.
struct DoubleToFloat {
  using Source = std::uint64_t;
  using Target = float;
  using Signed = std::int64_t;
  static constexpr bool narrows = true;
  static constexpr bool has_infinity = true;
  static constexpr Signed overflow_from = 0x47EF'FFFF'F000'0000;  // 2^128 - 2^103
  static constexpr Signed infinity = 0x7FF0'0000'0000'0000;
  static constexpr Signed underflow_to = 0x3690'0000'0000'0000;  // 2^-150
  static constexpr Source lost_bits = 0x1FFF'FFFF;

  static Target apply(Source source) noexcept {
    return static_cast<float>(std::bit_cast<double>(source));
  }
};

/// F64 to F32, rounded to odd: what F32 cannot hold exactly becomes the neighbour whose last bit is
/// set. Rounding that to a format of at least two bits less gives what rounding the double itself
/// does (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
/// rounding to odd", 2008). It counts no underflow: nothing but zero becomes zero.
struct DoubleToOddFloat {
  using Source = std::uint64_t;
  using Target = std::uint32_t;
  using Signed = std::int64_t;
  static constexpr bool narrows = true;
  static constexpr bool has_infinity = true;
  static constexpr Signed overflow_from = DoubleToFloat::overflow_from;
  static constexpr Signed infinity = DoubleToFloat::infinity;
  static constexpr Signed underflow_to = 0;
  static constexpr Source lost_bits = DoubleToFloat::lost_bits;

  static Target apply(Source source) noexcept {
    const auto nearest = static_cast<float>(std::bit_cast<double>(source));
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    const auto held = std::bit_cast<std::uint64_t>(static_cast<double>(nearest));
    // Of one sign, so that their bits compare as their magnitudes do.
    const auto above = static_cast<std::uint32_t>(static_cast<Signed>(held - source) > 0);
    const auto inexact = static_cast<std::uint32_t>(held != source);
    const std::uint32_t moved = inexact & ~bits & 1U;
    return bits + moved - 2U * (moved & above);
  }
};

/// BOOL or an integer to F32 or F64, rounded once, by way of a double: for numbers that it holds.
template <class Number, class Float>
struct IntegerToFloat {
  using Integer = std::conditional_t<std::is_same_v<Number, bool>, std::uint8_t, Number>;
  using Target = Float;
  static constexpr bool rounds =
      std::numeric_limits<Float>::digits < std::numeric_limits<Integer>::digits;

  /// Whether a double may not hold it, or the byte is no truth value.
  static bool is_special(Integer value) noexcept {
    if constexpr (std::is_same_v<Number, bool>) return value > 1;
    constexpr std::uint64_t most = std::uint64_t{1} << 53U;
    if constexpr (sizeof(Integer) < 8) return false;
    else if constexpr (std::is_signed_v<Integer>)
      return static_cast<std::uint64_t>(value) + most > 2 * most;
    else return value > most;
  }
};

}  // namespace safestructures::inline v0::detail
