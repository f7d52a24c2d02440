/// \file
/// Words and numbers that the table, the JSON and the tool share.
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

/// A number in a few digits, `1.20e-05`; `0` for zero.
std::string short_number(double number);
/// Appends the same.
void append_short(std::string& text, double number);
/// Appends the digits.
void append_count(std::string& text, std::uint64_t count);
/// Appends the digits, behind a sign where it is below zero.
void append_step(std::string& text, std::int64_t step);

/// Counts the names that a row is printed with. Rows share those of records: a text of 100,000 rows
/// has the same name 100,000 times.
/// \throws Error `limit_exceeded` where the texts of rows are refused for it
void add_names(const Comparison& comparison, std::size_t row, detail::PathText& printed);

/// Appends `worst at [0, 3]: 0.5 and 0.25` of a row that has a worst element.
void append_worst(std::string& text, const ComparisonRow& row);

/// `step 2, call 14 of decoder.attention, element [0, 3]: 0.5 and 0.25`, not printable as it is.
std::string place_text(const ComparisonRow& row);

/// `layer.3, step 0 call 0: error 1.2e-02, 0 in layer.3.input`, not printable as it is.
std::string culprit_text(const Comparison& comparison, const Culprit& culprit);

/// `missing scale: a is b times 8; 100 % of the squared difference`.
std::string suspicion_text(const Suspicion& suspicion);

/// What stands below the table, a line each: suggestions, notes, the first divergence, culprits,
/// suspicions, what was compared and what was not, and the verdict. Safe for a terminal.
std::vector<std::string> closing_lines(const Comparison& comparison);

/// All of `Coverage`, by the names that programs read.
using CoverageCounts = std::array<std::pair<std::string_view, std::uint64_t>, 11>;
CoverageCounts counts_of(const Coverage& coverage);

}  // namespace safestructures::inline v0::comparing
