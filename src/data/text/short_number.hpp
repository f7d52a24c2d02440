/// \file
/// Numbers in few digits, for tables.
#pragma once

#include <string>

namespace safestructures::inline v0::detail {

/// Appends what C's `%.2e` writes: `1.20e-05`, `inf`, `nan`.
void append_scientific(std::string& text, double number);

/// Appends what C's `%.1f` writes: `34.9`.
void append_tenths(std::string& text, double number);

}  // namespace safestructures::inline v0::detail
