/// \file
/// Compares the numbers of tensors.
#pragma once

#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"

namespace safestructures::inline v0::comparing {

/// Compares the numbers of all tensors held in a draft, whose rows have no verdict before: many
/// small tensors at once, large ones each on all processors. Then only those are held of rows that
/// may be looked at for suspicions.
void compare_numbers(const Rules& rules, Draft& draft);

}  // namespace safestructures::inline v0::comparing
