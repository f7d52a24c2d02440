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

/// How a conversion handles values that the target cannot hold.
enum class Overflow : std::uint8_t {
  error,     ///< Throw an `Error`.
  saturate,  ///< Use the nearest number that the target has; drop fractions for integers.
  allow,     ///< As IEEE 754: infinity, or NaN if there is none. Integers, F4 and F6 saturate.
};

/// Counts of what a conversion did to the values, other than rounding between floating-point types.
struct ConversionReport {
  /// Values beyond the target's range, which became its largest number, infinity or NaN. Infinity
  /// counts if the target has none; zero and negative values count for F8_E8M0.
  std::uint64_t overflow = 0;
  /// Nonzero values that became zero in a floating-point target. For F8_E8M0, which has no zero:
  /// values that were raised to its smallest power of two.
  std::uint64_t underflow = 0;
  /// Integers that a floating-point target had to round, and fractions dropped for an integer.
  std::uint64_t inexact = 0;
  /// NaNs that lost part of their sign or payload, or were signalling: those whose bits do not come
  /// back when the result is converted back. The usual NaNs, quiet and without payload, lose only
  /// their sign, and only in F8_E8M0 and the FNUZ types.
  std::uint64_t nan_changes = 0;
  /// The index of the first value counted in `overflow`.
  std::optional<std::uint64_t> first_overflow;

  /// Whether all counts and the first index are the same.
  friend bool operator==(const ConversionReport&, const ConversionReport&) = default;

  /// Adds the report of a later block.
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
/// Rounds once, to nearest with ties to even. NaN stays NaN: it becomes quiet and keeps its sign
/// and the upper bits of its payload. Infinity stays infinity. Equal dtypes are copied bit for bit.
/// BOOL is an integer in the range 0 to 1. A real number is a complex number with imaginary part 0.
///
/// A tensor can be converted in blocks, whose sizes must be multiples of eight elements if a
/// sub-byte dtype is involved; blocks of 256 KiB stay in the cache.
///
/// \param source `count` elements, at any address; sub-byte elements are packed and padded to whole
///        bytes
/// \param target room for `count` elements, at any address, not overlapping `source`; its content
///        is unspecified after an error
/// \param first the index of the first element in the whole tensor, for errors and the report
/// \throws Error `out_of_range` under `Overflow::error` for a value that the target cannot hold;
///         under every setting for NaN if the target has none, and for a BOOL byte above 1
/// \throws Error `lossy_conversion` under `Overflow::error` for a fraction if the target is an
///         integer; under every setting for an imaginary part if the target is real
/// \throws Error `invalid_argument` if a span has the wrong size
SAFESTRUCTURES_API ConversionReport convert_elements(DType from, std::span<const std::byte> source,
                                                     DType to, std::span<std::byte> target,
                                                     std::uint64_t count,
                                                     Overflow overflow = Overflow::error,
                                                     std::uint64_t first = 0);

}  // namespace safestructures::inline v0
