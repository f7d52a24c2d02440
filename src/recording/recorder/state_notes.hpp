/// \file
/// Notes on what is missing from a recording.
#pragma once

#include <string>
#include <vector>

#include <safestructures/recording/recording.hpp>

namespace safestructures::inline v0::recording {

inline constexpr const char* not_closed = "the recording was not closed, so records may be missing";

/// Returns sentences on what was not read, may be missing, or was left out by the recorder; empty
/// if the recording is complete.
[[nodiscard]] std::vector<std::string> notes_of(const Recording& recording);

}  // namespace safestructures::inline v0::recording
