/// \file
/// Parts of tensors, written as in NumPy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// One dimension's part, as Python's `start:stop:step`. A negative `start` or `stop` counts from
/// the end; a missing one means the whole length in the direction of `step`, which is never 0.
struct Slice {
  std::optional<std::int64_t> start;  ///< The first index.
  std::optional<std::int64_t> stop;   ///< The index behind the last, which is not taken.
  std::int64_t step = 1;              ///< From one index to the next.
  /// True for a plain index such as `3` (then in `start`): the dimension is dropped from the
  /// result.
  bool index = false;
};

/// Reads `[2:5, ::2]`, `2:5,::2`, `-1` or `[:, 7]`. Dimensions not named are taken whole.
/// \throws Error `invalid_argument` that shows the text and the place in it.
SAFESTRUCTURES_API std::vector<Slice> parse_slices(std::string_view text);

}  // namespace safestructures::inline v0
