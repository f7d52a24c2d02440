/// \file
/// Ranks the numbers of each floating-point dtype, so that those between two numbers can be
/// counted.
#pragma once

#include <cstdint>
#include <optional>

#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::comparing {

/// The properties of a floating-point dtype.
struct Grid {
  DType dtype;
  unsigned fraction_bits;
  int min_exponent;
  /// Returns the rank of a number, rounded to the dtype, among all of the dtype's numbers: both
  /// zeros have rank 0, the next number 1. Numbers beyond the largest have the rank after it, or
  /// their own.
  std::int64_t (*place)(double number);

  /// Returns the distance to the next number at that magnitude.
  [[nodiscard]] double spacing(double magnitude) const;
};

/// Returns null for integers and bools, and the grid of the parts for C64.
std::optional<Grid> grid_of(DType dtype);

/// Returns the one with fewer digits; if equal, the one with the smaller range.
Grid coarser(const Grid& a, const Grid& b);

/// Returns the dtype before storing or the stored one, whichever has fewer digits.
DType effective_dtype(DType stored, const std::optional<DType>& recorded);

}  // namespace safestructures::inline v0::comparing
