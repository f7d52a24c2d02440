/// \file
/// Tells statistics in files from other structures.
#pragma once

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Whether the value has the class that `statistics_value` gives it, whatever its fields are.
[[nodiscard]] bool is_kept_statistics(const Value& value) noexcept;

}  // namespace safestructures::inline v0::detail
