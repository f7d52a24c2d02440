/// \file
/// Which calls of two runs are the same, where the runs called a name another number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <safestructures/compare/rows.hpp>

namespace safestructures::inline v0::comparing {

/// A call of a name in one step.
struct Call {
  std::uint64_t number = 0;  ///< Calls of that name before it; ascends.
  std::uint32_t form = 0;    ///< The same for calls whose values have the same shapes.
};

/// What a call of the first run is in the second.
struct Aligned {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::size_t other = none;  ///< Place among the calls of the second.
  RecordMatch match = RecordMatch::call;
};

/// Aligns the calls of a name in one step, in their order: so that as many as can be have the same
/// shapes, and of those alignments one in which the most have the same number. What is left between
/// two of them is aligned in its order. That is the alignment of two sequences of Needleman and
/// Wunsch (1970), without a price for gaps; of more than four million pairs it is by numbers alone.
/// \returns one for each of `a`
[[nodiscard]] std::vector<Aligned> align(std::span<const Call> a, std::span<const Call> b);

}  // namespace safestructures::inline v0::comparing
