/// \file
/// Sums of doubles, which may be larger than every double.
#pragma once

#include <algorithm>
#include <limits>

namespace safestructures::inline v0::detail {

/// The nearest finite double: an infinity would be no number in JSON, and tell no two apart.
[[nodiscard]] inline double bounded(long double value) {
  constexpr auto most = static_cast<long double>(std::numeric_limits<double>::max());
  return static_cast<double>(std::clamp(value, -most, most));
}

}  // namespace safestructures::inline v0::detail
