/// \file
/// Aligns the calls of two runs that called a name a different number of times.
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
  std::uint64_t number = 0;  ///< How many calls of that name precede it; ascending.
  std::uint32_t form = 0;    ///< Equal for calls whose values have the same shapes.
};

/// The counterpart of a call of the first run in the second.
struct Aligned {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::size_t other = none;  ///< Index among the calls of the second run.
  RecordMatch match = RecordMatch::call;
};

/// Aligns the calls of a name in one step, keeping their order: as many pairs as possible have the
/// same shapes, and among such alignments as many as possible have the same number. The calls left
/// between two pairs are aligned in order. This is the alignment of two sequences by Needleman and
/// Wunsch (1970) without a gap penalty. Above four million pairs, calls are aligned by number only.
/// \returns one element for each of `a`
[[nodiscard]] std::vector<Aligned> align(std::span<const Call> a, std::span<const Call> b);

}  // namespace safestructures::inline v0::comparing
