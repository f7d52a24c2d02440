/// \file
/// The content of a recording as text, for people.
#pragma once

#include <iosfwd>
#include <string>

#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::cli {

/// Prints size, number of records and steps, and a line for each name: the value of its first
/// record, and how many records there are at which steps.
/// \param folder as given
/// \param options `items` limits the names shown; none are shown at a depth of 0
void print_recording(std::ostream& out, const Recording& run, const std::string& folder,
                     const PrintOptions& options, bool is_coloured);

}  // namespace safestructures::cli
