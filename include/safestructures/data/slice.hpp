/// \file
/// Slices of tensors, written as in NumPy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// The slice of one dimension, like Python's `start:stop:step`. A negative `start` or `stop` counts
/// from the end; a missing one means the end of the dimension in the direction of `step`, which is
/// never 0.
struct Slice {
  std::optional<std::int64_t> start;  ///< The first index.
  std::optional<std::int64_t> stop;   ///< The index after the last.
  std::int64_t step = 1;              ///< The distance from one index to the next.
  /// Whether this is a plain index such as `3` (stored in `start`): the dimension is dropped from
  /// the result.
  bool index = false;
};

/// Parses `[2:5, ::2]`, `2:5,::2`, `-1` or `[:, 7]`. Dimensions not named are taken whole.
/// \throws Error `invalid_argument` that shows the text and the position in it
SAFESTRUCTURES_API std::vector<Slice> parse_slices(std::string_view text);

}  // namespace safestructures::inline v0
