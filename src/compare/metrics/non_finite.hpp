/// \file
/// Numbers that are NaN or infinite in one of two tensors, such as masked attention scores:
/// counted, and left out of the sums.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include <safestructures/compare/metrics.hpp>

namespace safestructures::inline v0::comparing {

/// What was removed from a block.
struct NonFinite {
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  NonFiniteCounts counts;
  std::size_t pairs = 0;                  ///< Those with at least one number that is not finite.
  std::size_t first_differing = nowhere;  ///< The first at which both sides differ.
};

/// Sets pairs of numbers to zero if they are not finite in both, so that they add nothing to sums.
/// Both sides may be the same memory.
/// @{
NonFinite remove_non_finite(std::span<float> a, std::span<float> b);
NonFinite remove_non_finite(std::span<double> a, std::span<double> b);
/// @}

/// Adds the counts of other numbers.
void add(const NonFiniteCounts& more, NonFiniteCounts& counts);

}  // namespace safestructures::inline v0::comparing
