/// \file
/// JSON as an input from which trees are read.
#pragma once

#include <memory>
#include <string_view>

#include <safestructures/data/limits.hpp>
#include "formats/tree/input.hpp"

namespace safestructures::inline v0::json {

/// Returns an input for a text. Both arguments must stay valid. \throws Error as `Cursor`
[[nodiscard]] std::unique_ptr<tree::Input> tree_input(std::string_view text, const Limits& limits);

}  // namespace safestructures::inline v0::json
