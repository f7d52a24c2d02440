/// \file
/// JSON as what trees are read from.
#pragma once

#include <memory>
#include <string_view>

#include <safestructures/data/limits.hpp>
#include "formats/tree/input.hpp"

namespace safestructures::inline v0::json {

/// Both must stay valid. \throws Error as `Cursor`
[[nodiscard]] std::unique_ptr<tree::Input> tree_input(std::string_view text, const Limits& limits);

}  // namespace safestructures::inline v0::json
