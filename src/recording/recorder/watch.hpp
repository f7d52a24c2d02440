/// \file
/// Looks for numbers that a watch reports.
#pragma once

#include <optional>

#include <safestructures/data/value.hpp>
#include <safestructures/recording/options.hpp>

namespace safestructures::inline v0::recording {

/// \throws Error `invalid_argument` for an invalid watch
void require_sound(const Watch& watch);

/// Returns the first element that the watch reports. Name, step and call are not set.
[[nodiscard]] std::optional<WatchFinding> find_watched(const Value& value, const Watch& watch);

}  // namespace safestructures::inline v0::recording
