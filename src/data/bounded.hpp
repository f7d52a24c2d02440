/// \file
/// Conversion of sums that may exceed every double.
#pragma once

#include <algorithm>
#include <limits>

namespace safestructures::inline v0::detail {

/// Returns the nearest finite double: infinities are not numbers in JSON, and cannot be told apart.
[[nodiscard]] inline double bounded(long double value) {
  constexpr auto most = static_cast<long double>(std::numeric_limits<double>::max());
  return static_cast<double>(std::clamp(value, -most, most));
}

}  // namespace safestructures::inline v0::detail
