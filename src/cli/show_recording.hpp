/// \file
/// What a recording holds, as people look at it.
#pragma once

#include <iosfwd>
#include <string>

#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::cli {

/// Prints size, number of records and steps, and a line for each name: what its first record holds,
/// and how many there are at which steps.
/// \param folder as it was given \param options `items` are the names that are shown; none at a
/// depth of 0
void print_recording(std::ostream& out, const Recording& run, const std::string& folder,
                     const PrintOptions& options, bool is_coloured);

}  // namespace safestructures::cli
