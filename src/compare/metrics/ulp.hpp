/// \file
/// The numbers of each floating-point dtype, counted: how many lie between two of them.
#pragma once

#include <cstdint>
#include <optional>

#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::comparing {

/// What a floating-point dtype's numbers are like.
struct Grid {
  DType dtype;
  unsigned fraction_bits;
  int min_exponent;
  /// The place of a number, rounded to the dtype, among all of the dtype's: both zeros have 0, and
  /// the next number the next place. What is beyond the largest has a place behind it, or its own.
  std::int64_t (*place)(double number);

  /// From one number to the next at that magnitude.
  [[nodiscard]] double spacing(double magnitude) const;
};

/// Nothing for integers and bools; of C64 the grid of its parts.
std::optional<Grid> grid_of(DType dtype);

/// The one with fewer digits; of those with as many the one of smaller range.
Grid coarser(const Grid& a, const Grid& b);

/// A dtype that the numbers had before they were stored, or have: the one with fewer digits.
DType effective_dtype(DType stored, const std::optional<DType>& recorded);

}  // namespace safestructures::inline v0::comparing
