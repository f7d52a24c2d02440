/// \file
/// Looking for numbers that should not be there.
#pragma once

#include <optional>

#include <safestructures/data/value.hpp>
#include <safestructures/recording/options.hpp>

namespace safestructures::inline v0::recording {

/// \throws Error `invalid_argument` for a watch that cannot be
void require_sound(const Watch& watch);

/// The first element that the watch is for; name, step and call are not set.
[[nodiscard]] std::optional<WatchFinding> find_watched(const Value& value, const Watch& watch);

}  // namespace safestructures::inline v0::recording
