/// \file
/// A comparison while it is made.
#pragma once

#include <safestructures/compare/comparison.hpp>
#include "compare/draft/held_tensors.hpp"
#include "compare/draft/progress.hpp"
#include "compare/draft/rules.hpp"
#include "compare/pairing/located.hpp"
#include "compare/rows/row_store.hpp"

namespace safestructures::inline v0::comparing {

/// The result so far, which each step of a comparison adds to, and what later steps need.
struct Draft {
  /// \param sides may be null
  explicit Draft(const Rules& rules, NameOf sides = nullptr);

  /// Counts a row without numbers.
  void count(Verdict verdict);
  /// Adds notes on rules without an effect, and on what was compared less strictly than the rest.
  void add_notes(const Rules& rules);

  Comparison result;
  RowStore& rows;  ///< The rows of `result`.
  HeldTensors held;
  Progress progress;
  NameOf name_of;  ///< Null if errors need not name the sides.
};

}  // namespace safestructures::inline v0::comparing
