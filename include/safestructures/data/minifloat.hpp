/// \file
/// Floating-point numbers of 4 to 16 bits: one format description, one encoder, one decoder.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// How a small floating-point format uses the codes that are not ordinary numbers.
enum class Specials : std::uint8_t {
  ieee,    ///< The highest exponent means infinity (fraction zero) or NaN.
  fn,      ///< No infinity; NaN if all bits below the sign are set (OCP FP8 E4M3).
  fnuz,    ///< No infinity and no negative zero, whose code is the only NaN.
  finite,  ///< Every code is a number: no infinity and no NaN (OCP MX F4 and F6).
  scale,   ///< An exponent without sign, zero or fraction; the highest code is NaN (E8M0).
};

/// A small floating-point format: the number of exponent and fraction bits, the bias of the
/// exponent, and the meaning of the special codes. `encode` and `decode` work on bare codes, in the
/// lowest `width` bits of `Bits`.
///
/// NaN always becomes quiet; it keeps its sign and as many of its upper payload bits as fit, like
/// the conversion instructions of x86 and ARM.
template <unsigned ExponentBits, unsigned FractionBits, int Bias, Specials Kind>
struct MinifloatFormat {
  static constexpr Specials kind = Kind;                     ///< The meaning of the special codes.
  static constexpr unsigned fraction_bits = FractionBits;    ///< Bits of the fraction, the lowest.
  static constexpr int bias = Bias;                          ///< The exponent field of 1.0.
  static constexpr bool has_sign = Kind != Specials::scale;  ///< Whether it has negative numbers.
  static constexpr bool has_infinity = Kind == Specials::ieee;  ///< Whether it has infinities.
  static constexpr bool has_nan = Kind != Specials::finite;     ///< Whether it has a NaN.
  /// The number of bits of a code.
  static constexpr unsigned width = ExponentBits + FractionBits + (has_sign ? 1 : 0);

  /// The unsigned integer that holds one code.
  using Bits = std::conditional_t<(width > 8), std::uint16_t, std::uint8_t>;

  /// The exponent of the smallest normal number.
  static constexpr int min_exponent = Kind == Specials::scale ? -Bias : 1 - Bias;
  /// The bit that makes a number negative; 0 if there is none.
  static constexpr std::uint32_t sign_bit = has_sign ? 1U << (width - 1) : 0U;
  /// A mask of all bits below the sign.
  static constexpr std::uint32_t magnitude_mask = (1U << (ExponentBits + FractionBits)) - 1U;
  /// The code of infinity if there is one.
  static constexpr std::uint32_t infinity = magnitude_mask & ~((1U << FractionBits) - 1U);
  /// The code of the largest number.
  static constexpr std::uint32_t largest = has_infinity ? infinity - 1U
                                           : Kind == Specials::fn || Kind == Specials::scale
                                               ? magnitude_mask - 1U
                                               : magnitude_mask;
  /// The code of a NaN without sign or payload; zero if there is no NaN.
  static constexpr std::uint32_t quiet_nan = has_infinity ? infinity | (infinity >> 1U & ~infinity)
                                             : Kind == Specials::fn || Kind == Specials::scale
                                                 ? magnitude_mask
                                             : Kind == Specials::fnuz ? sign_bit
                                                                      : 0U;

  /// Returns the code nearest to a number, with ties to the even code (E8M0: ties away from zero,
  /// since its only significant bit is always odd). Rounds once, also from double. A number beyond
  /// the largest becomes infinity if the format has it, else NaN, else the largest number. E8M0
  /// encodes zero and negative numbers as NaN, and numbers below its smallest power of two as that
  /// power. A NaN becomes zero if the format has no NaN.
  static constexpr Bits encode(double value) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = bits & 0x7FFF'FFFF'FFFF'FFFFU;
    const std::uint32_t sign = (bits >> 63U) != 0 ? sign_bit : 0U;
    if (magnitude > double_infinity) return encode_nan(sign, magnitude);
    if constexpr (Kind == Specials::scale) {
      if (magnitude == 0 || magnitude != bits) return static_cast<Bits>(quiet_nan);
    }
    const std::uint64_t code = encode_magnitude(magnitude);
    if (code > largest) {
      if constexpr (has_infinity) return static_cast<Bits>(sign | infinity);
      if constexpr (Kind == Specials::finite) return static_cast<Bits>(sign | largest);
      return encode_nan(sign, 0);
    }
    if constexpr (Kind == Specials::fnuz) {
      if (code == 0) return 0;
    }
    return static_cast<Bits>(sign | static_cast<std::uint32_t>(code));
  }

  /// Whether a number is beyond the largest one after rounding. Infinity overflows if the format
  /// has none; zero and negative numbers overflow in E8M0. NaN never overflows.
  static constexpr bool overflows(double value) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = bits & 0x7FFF'FFFF'FFFF'FFFFU;
    if (magnitude > double_infinity) return false;
    if (magnitude == double_infinity && has_infinity) return false;
    if (Kind == Specials::scale && (magnitude == 0 || magnitude != bits)) return true;
    return encode_magnitude(magnitude) > largest;
  }

  /// Returns the code of the number nearest to a value that overflows.
  static constexpr Bits saturated(double value) noexcept {
    if constexpr (Kind == Specials::scale) return value > 0 ? static_cast<Bits>(largest) : Bits{0};
    return static_cast<Bits>(value < 0 ? sign_bit | largest : largest);
  }

  /// Returns the exact number that a code stands for.
  static constexpr float decode(Bits code) noexcept {
    return std::bit_cast<float>(decode_bits(code));
  }

 private:
  static constexpr std::uint64_t double_infinity = 0x7FF0'0000'0000'0000U;

  static constexpr Bits encode_nan(std::uint32_t sign, std::uint64_t magnitude) noexcept {
    if constexpr (Kind == Specials::ieee) {
      const auto payload = static_cast<std::uint32_t>(magnitude >> (52U - FractionBits)) &
                           (magnitude_mask ^ infinity);
      return static_cast<Bits>(sign | quiet_nan | payload);
    } else if constexpr (Kind == Specials::fnuz || Kind == Specials::scale) {
      return static_cast<Bits>(quiet_nan);
    } else {
      return static_cast<Bits>(sign | quiet_nan);
    }
  }

  // The rounded code of a magnitude as if there were no largest number: a carry out of the fraction
  // goes into the exponent by itself, from the subnormal numbers to the normal ones too.
  static constexpr std::uint64_t encode_magnitude(std::uint64_t magnitude) noexcept {
    // Subnormal doubles are far below half of every format's smallest number: their true exponent
    // does not matter.
    const int exponent = static_cast<int>(magnitude >> 52U) - 1023;
    const std::uint64_t fraction = magnitude & 0x000F'FFFF'FFFF'FFFFU;
    const std::uint64_t significand = magnitude == 0 ? 0 : fraction | 0x0010'0000'0000'0000U;
    int shift = 52 - static_cast<int>(FractionBits);
    if (exponent < min_exponent) {
      if constexpr (Kind == Specials::scale) return 0;
      shift += min_exponent - exponent;
      if (shift > 53) return 0;
    }
    const std::uint64_t half_unit = std::uint64_t{1} << (shift - 1);
    const std::uint64_t remainder = significand & ((half_unit << 1U) - 1U);
    std::uint64_t rounded = significand >> shift;
    if (remainder > half_unit || (remainder == half_unit && (rounded & 1U) != 0)) ++rounded;
    if constexpr (Kind == Specials::scale) --rounded;  // code 0 is a normal number
    if (exponent <= min_exponent) return rounded;
    return (static_cast<std::uint64_t>(exponent - min_exponent) << FractionBits) + rounded;
  }

  static constexpr std::uint32_t decode_bits(Bits bits) noexcept {
    const std::uint32_t code = bits;
    const std::uint32_t sign = (code & sign_bit) != 0 ? 0x8000'0000U : 0U;
    const std::uint32_t magnitude = code & magnitude_mask;
    if constexpr (Kind == Specials::scale) {
      if (magnitude == quiet_nan) return float_quiet_nan;
      return magnitude == 0 ? 0x0040'0000U : magnitude << 23U;  // 2^-127 is subnormal in float
    } else {
      constexpr unsigned gap = 23U - FractionBits;
      if constexpr (Kind == Specials::ieee) {
        if (magnitude > infinity) return sign | float_quiet_nan | magnitude << gap;
        if (magnitude == infinity) return sign | 0x7F80'0000U;
      } else if constexpr (Kind == Specials::fn) {
        if (magnitude == quiet_nan) return sign | float_quiet_nan;
      } else if constexpr (Kind == Specials::fnuz) {
        if (code == quiet_nan) return float_quiet_nan;
      }
      if constexpr (Bias == 127) {
        return sign | magnitude << gap;  // float's own exponent: subnormal numbers stay subnormal
      } else {
        if (magnitude == 0) return sign;
        if (magnitude >> FractionBits != 0) {
          return sign | ((magnitude << gap) + (std::uint32_t{127 - Bias} << 23U));
        }
        const int top = 31 - std::countl_zero(magnitude);
        const auto exponent =
            static_cast<std::uint32_t>(127 + min_exponent - static_cast<int>(FractionBits) + top);
        return sign | exponent << 23U | ((magnitude << (23 - top)) & 0x007F'FFFFU);
      }
    }
  }

  static constexpr std::uint32_t float_quiet_nan = 0x7FC0'0000U;
};

/// IEEE 754 binary16.
struct HalfFormat : MinifloatFormat<5, 10, 15, Specials::ieee> {};
/// The upper half of IEEE 754 binary32.
struct Bfloat16Format : MinifloatFormat<8, 7, 127, Specials::ieee> {};
/// OCP FP8 E5M2.
struct Float8E5M2Format : MinifloatFormat<5, 2, 15, Specials::ieee> {};
/// OCP FP8 E4M3: largest number 448, no infinity.
struct Float8E4M3Format : MinifloatFormat<4, 3, 7, Specials::fn> {};
/// OCP MX scale: a power of two from 2^-127 to 2^127.
struct Float8E8M0Format : MinifloatFormat<8, 0, 127, Specials::scale> {};
/// E4M3 with bias 8, one zero and one NaN.
struct Float8E4M3FnuzFormat : MinifloatFormat<4, 3, 8, Specials::fnuz> {};
/// E5M2 with bias 16, one zero and one NaN.
struct Float8E5M2FnuzFormat : MinifloatFormat<5, 2, 16, Specials::fnuz> {};
/// OCP MX E2M1, 4 bits. Stored packed, so there is no scalar type for it.
struct Float4E2M1Format : MinifloatFormat<2, 1, 1, Specials::finite> {};
/// OCP MX E2M3, 6 bits. Stored packed, so there is no scalar type for it.
struct Float6E2M3Format : MinifloatFormat<2, 3, 1, Specials::finite> {};
/// OCP MX E3M2, 6 bits. Stored packed, so there is no scalar type for it.
struct Float6E3M2Format : MinifloatFormat<3, 2, 3, Specials::finite> {};

/// A small floating-point number in one of the formats above: storage with conversions. It converts
/// to float implicitly and exactly, and arithmetic and comparison happen there; the conversion back
/// is explicit and rounds to nearest even.
///
/// Trivial and standard-layout: an array of these may be filled by copying bytes.
template <class Format>
class BasicMinifloat {
 public:
  /// The unsigned integer that holds the code.
  using Bits = typename Format::Bits;

  /// Like float: `BasicMinifloat()` is code 0, and a plain local variable is uninitialized.
  BasicMinifloat() = default;

  /// Converts to the nearest number; see `MinifloatFormat::encode`. Accepts float, double and
  /// integers of up to 32 bits: double holds them all exactly, so there is only one rounding.
  template <class T>
    requires(std::same_as<T, float> || std::same_as<T, double> ||
             (std::integral<T> && sizeof(T) <= 4))
  explicit constexpr BasicMinifloat(T value) noexcept
      : bits_(Format::encode(static_cast<double>(value))) {}

  /// Returns the number with this code.
  static constexpr BasicMinifloat from_bits(Bits bits) noexcept {
    BasicMinifloat result{};
    result.bits_ = bits;
    return result;
  }

  /// The code.
  [[nodiscard]] constexpr Bits bits() const noexcept { return bits_; }

  /// Returns the same number, exactly.
  constexpr operator float() const noexcept { return Format::decode(bits_); }

  /// Returns the negated number. In formats with a single zero, zero and NaN stay as they are.
  constexpr BasicMinifloat operator-() const noexcept
    requires(Format::has_sign)
  {
    if constexpr (Format::kind == Specials::fnuz) {
      if ((bits_ & Format::magnitude_mask) == 0) return *this;
    }
    return from_bits(static_cast<Bits>(bits_ ^ Format::sign_bit));
  }

 private:
  Bits bits_;
};

/// The small floating-point types that are stored unpacked: elements of tensors with dtypes F16,
/// BF16, F8_E5M2, F8_E4M3, F8_E8M0, F8_E4M3FNUZ and F8_E5M2FNUZ.
/// @{
using half = BasicMinifloat<HalfFormat>;
using bfloat16 = BasicMinifloat<Bfloat16Format>;
using float8_e5m2 = BasicMinifloat<Float8E5M2Format>;
using float8_e4m3 = BasicMinifloat<Float8E4M3Format>;
using float8_e8m0 = BasicMinifloat<Float8E8M0Format>;
using float8_e4m3fnuz = BasicMinifloat<Float8E4M3FnuzFormat>;
using float8_e5m2fnuz = BasicMinifloat<Float8E5M2FnuzFormat>;
/// @}

}  // namespace safestructures::inline v0
/// \cond  Doxygen finds no scope for it.
/// Limits of the small floating-point numbers; `infinity` and `quiet_NaN` are only meaningful if
/// `has_infinity` and `has_quiet_NaN` are true.
template <class Format>
class std::numeric_limits<safestructures::BasicMinifloat<Format>>
    : public std::numeric_limits<float> {
  using Number = safestructures::BasicMinifloat<Format>;

  static constexpr Number from_code(std::uint32_t code) noexcept {
    return Number::from_bits(static_cast<typename Format::Bits>(code));
  }

 public:
  static constexpr bool is_signed = Format::has_sign;
  static constexpr bool is_iec559 = std::same_as<Format, safestructures::HalfFormat>;
  static constexpr bool has_infinity = Format::has_infinity;
  static constexpr bool has_quiet_NaN = Format::has_nan;
  static constexpr bool has_signaling_NaN = false;
  static constexpr int digits = static_cast<int>(Format::fraction_bits) + 1;
  static constexpr int digits10 = (digits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = 2 + digits * 30103 / 100000;
  static constexpr int min_exponent = Format::min_exponent + 1;
  static constexpr int max_exponent = Format::min_exponent + 1 +
                                      static_cast<int>(Format::largest >> Format::fraction_bits) -
                                      (Format::kind == safestructures::Specials::scale ? 0 : 1);
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;

  static constexpr Number(min)() noexcept {
    return from_code(Format::has_sign ? 1U << Format::fraction_bits : 0U);
  }
  static constexpr Number(max)() noexcept { return from_code(Format::largest); }
  static constexpr Number lowest() noexcept {
    return Format::has_sign ? from_code(Format::sign_bit | Format::largest) : (min)();
  }
  static constexpr Number epsilon() noexcept {
    return Number(1.0 / static_cast<double>(1U << Format::fraction_bits));
  }
  static constexpr Number round_error() noexcept { return Number(0.5); }
  static constexpr Number infinity() noexcept { return from_code(Format::infinity); }
  static constexpr Number quiet_NaN() noexcept { return from_code(Format::quiet_nan); }
  static constexpr Number signaling_NaN() noexcept { return quiet_NaN(); }
  static constexpr Number denorm_min() noexcept { return from_code(Format::has_sign ? 1U : 0U); }
};
/// \endcond
