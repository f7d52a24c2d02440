/// \file
/// Selects the rows of a comparison that a table shows.
#pragma once

#include <cstddef>
#include <vector>

#include <safestructures/compare/comparison.hpp>

namespace safestructures::inline v0::comparing {

/// A row of a table: one of the comparison, or the worst of those of all calls of one name.
struct ShownRow {
  std::size_t place = 0;      ///< Index among the rows of the comparison.
  double badness = 0;         ///< Ranks the rows.
  std::size_t calls = 1;      ///< How many rows it stands for.
  std::size_t different = 0;  ///< How many of them are differences.
};

/// The rows that a table shows.
struct ShownRows {
  std::vector<ShownRow> rows;  ///< In the order of the table.
  std::size_t hidden = 0;      ///< How many more differ, or could be shown.
  std::size_t equal = 0;       ///< How many are not shown because they are equal.
  bool have_calls = false;     ///< Whether one stands for several calls.
};
ShownRows shown_rows(const Comparison& comparison, const TableOptions& options);

}  // namespace safestructures::inline v0::comparing
