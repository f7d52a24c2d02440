/// \file
/// Selects the rows that are checked for the usual faults, and checks them.
#pragma once

#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"

namespace safestructures::inline v0::comparing {

/// Looks for faults that explain rows beyond their tolerance: for recordings, rows that introduce
/// an error and the first that differs; otherwise all. The numbers of all rows must have been
/// compared, and the culprits be known.
void look_for_suspicions(const Rules& rules, Draft& draft);

}  // namespace safestructures::inline v0::comparing
