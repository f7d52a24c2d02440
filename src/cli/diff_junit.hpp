/// \file
/// Writes a comparison as test cases.
#pragma once

#include <iosfwd>
#include <string_view>

#include <safestructures/compare/comparison.hpp>

namespace safestructures::cli {

/// Writes JUnit XML in ASCII: a test case for each row, failed if it differs, skipped if nothing
/// was compared, and one for the whole comparison, which fails if nothing was compared at all.
/// \throws Error as `Comparison::write_json`
void write_junit(std::ostream& out, const Comparison& found, std::string_view a,
                 std::string_view b);

}  // namespace safestructures::cli
