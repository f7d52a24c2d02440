/// \file
/// Selects the rows of a comparison that a table shows.
#pragma once

#include <cstddef>
#include <vector>

#include <safestructures/compare/comparison.hpp>

namespace safestructures::inline v0::comparing {

/// The rows that a table shows.
struct ShownRows {
  std::vector<std::size_t> places;  ///< In the order of the table.
  std::size_t hidden = 0;           ///< How many more differ, or could be shown.
  std::size_t equal = 0;            ///< How many are not shown because they are equal.
};
ShownRows shown_rows(const Comparison& comparison, const TableOptions& options);

}  // namespace safestructures::inline v0::comparing
