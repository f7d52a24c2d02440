/// \file
/// Compares the numbers of tensors.
#pragma once

#include <functional>
#include <string>

#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"

namespace safestructures::inline v0::comparing {

/// Returns how errors name the first or second side if what is wrong names no file.
using NameOf = std::function<std::string(bool is_of_b)>;

/// Compares the numbers of all tensors held in a draft, whose rows have no verdict before: many
/// small tensors at once, large ones each on all processors. Then only those are held of rows that
/// may be looked at for suspicions. \param name_of may be null
void compare_numbers(const Rules& rules, Draft& draft, const NameOf& name_of);

}  // namespace safestructures::inline v0::comparing
