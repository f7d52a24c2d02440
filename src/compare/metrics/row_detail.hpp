/// \file
/// Adds to the text of a row.
#pragma once

#include <string_view>

#include <safestructures/compare/rows.hpp>

namespace safestructures::inline v0::comparing {

/// Appends to `ComparisonRow::detail`, separated from what is there.
inline void add_detail(ComparisonRow& row, std::string_view text) {
  if (!row.detail.empty()) row.detail += "; ";
  row.detail += text;
}

}  // namespace safestructures::inline v0::comparing
