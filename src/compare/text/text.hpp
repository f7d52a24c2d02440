/// \file
/// Words and numbers shared by the table, the JSON and the tool.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include "data/path_text.hpp"

namespace safestructures::inline v0::comparing {

/// Formats a number in a few digits: `1.20e-05`; `0` for zero.
std::string short_number(double number);
/// Appends the same.
void append_short(std::string& text, double number);
/// Appends a number in decimal.
void append_count(std::string& text, std::uint64_t count);
/// Appends a signed number in decimal.
void append_step(std::string& text, std::int64_t step);

/// Counts the bytes of names printed in a row. Rows share the names of records, so a text of
/// 100,000 rows may repeat one name 100,000 times.
/// \throws Error `limit_exceeded` if the rows' texts become too long
void add_names(const Comparison& comparison, std::size_t row, detail::PathText& printed);

/// Appends `worst at [0, 3]: 0.5 and 0.25` for a row that has a worst element.
void append_worst(std::string& text, const ComparisonRow& row);

/// Returns `step 2, call 14 of decoder.attention, element [0, 3]: 0.5 and 0.25`; not escaped.
std::string place_text(const ComparisonRow& row);

/// Returns `layer.3, step 0 call 0: error 1.2e-02, 0 in layer.3.input`; not escaped.
std::string culprit_text(const Comparison& comparison, const Culprit& culprit);

/// Returns `missing scale: a is b times 8; 100 % of the squared difference`.
std::string suspicion_text(const Suspicion& suspicion);

/// Returns the lines below the table: suggestions, notes, the first divergence, culprits,
/// suspicions, what was and was not compared, and the verdict. Safe for a terminal.
std::vector<std::string> closing_lines(const Comparison& comparison);

/// Returns all counts of `Coverage` with their names in JSON.
using CoverageCounts = std::array<std::pair<std::string_view, std::uint64_t>, 11>;
CoverageCounts counts_of(const Coverage& coverage);

}  // namespace safestructures::inline v0::comparing
