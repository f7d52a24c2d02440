/// \file
/// Conversion of elements from one dtype to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// What a conversion does with a value that the target cannot hold.
enum class Overflow : std::uint8_t {
  error,     ///< Stop with an `Error`.
  saturate,  ///< Take the nearest number that the target has; fractions are cut off for integers.
  allow,     ///< As IEEE 754: infinity, or NaN where there is none. Integers and F4, F6: saturate.
};

/// What a conversion did to the values, apart from rounding between floating-point types.
struct ConversionReport {
  /// Values beyond the target's range, which became its largest number, infinity or NaN. Infinity
  /// counts where the target has none; zero and negative values count for F8_E8M0.
  std::uint64_t overflow = 0;
  /// Values other than zero that became zero in a floating-point target (F8_E8M0 has no zero: those
  /// below its smallest power of two, which became that).
  std::uint64_t underflow = 0;
  /// Integers that a floating-point target had to round, and fractions cut off for an integer.
  std::uint64_t inexact = 0;
  /// NaNs that lost something of their sign or payload, or were signalling: those whose bits do not
  /// come back when the result is converted back. The usual NaNs, quiet and without payload, lose
  /// nothing but the sign in F8_E8M0 and the FNUZ types.
  std::uint64_t nan_changes = 0;
  /// The index of the first value counted in `overflow`.
  std::optional<std::uint64_t> first_overflow;

  /// Same counts, and same first index.
  friend bool operator==(const ConversionReport&, const ConversionReport&) = default;

  /// Adds what the conversion of a later block did.
  ConversionReport& operator+=(const ConversionReport& later) noexcept {
    overflow += later.overflow;
    underflow += later.underflow;
    inexact += later.inexact;
    nan_changes += later.nan_changes;
    if (!first_overflow) first_overflow = later.first_overflow;
    return *this;
  }
};

/// Converts `count` elements of any dtype to any other, on one thread.
///
/// Rounds once, to nearest with ties to even. NaN stays NaN, made quiet, with its sign and the
/// upper bits of its payload; infinity stays infinity. Equal dtypes are copied bit for bit. BOOL is
/// an integer of the range 0 to 1. A real number is a complex number with imaginary part 0.
///
/// A tensor can be converted in blocks, of eight elements or a multiple where a sub-byte dtype
/// takes part; 256 KiB stay in the cache.
///
/// \param source `count` elements, at any address; sub-byte elements packed, padded to whole bytes
/// \param target room for `count` elements, at any address, that does not overlap `source`; it
///        holds nothing specified after an error
/// \param first index of the first element in the whole tensor, for errors and the report
/// \throws Error `out_of_range` for a value that the target cannot hold, under `Overflow::error`;
///         under every setting for NaN where the target has none, and for a BOOL byte above 1
/// \throws Error `lossy_conversion` for a fraction where the target is an integer, under
///         `Overflow::error`; under every setting for an imaginary part where the target is real
/// \throws Error `invalid_argument` when a span has the wrong size
SAFESTRUCTURES_API ConversionReport convert(DType from, std::span<const std::byte> source, DType to,
                                            std::span<std::byte> target, std::uint64_t count,
                                            Overflow overflow = Overflow::error,
                                            std::uint64_t first = 0);

}  // namespace safestructures::inline v0
