/// \file
/// Rename rules as text, for a file that is kept with the runs.
///
///     # same statistics
///     encoder.0=enc.layer.0
///     decoder.*.w=model.decoder.*.weight
///
/// Each line is a rule as in `RenameRule`: `from` is the text up to the first `=`, `to` the rest.
/// Empty lines and lines that begin with `#` are ignored.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Parses such a text. Whether the rules can be applied is only checked by `compare`.
/// \param name of the file, for errors
/// \throws Error `invalid_argument` naming the line
[[nodiscard]] SAFESTRUCTURES_API std::vector<RenameRule> parse_renames(
    std::string_view text, const std::string& name = "renames");

/// Returns such a text: the rules that were applied, then the suggestions, each below its reason.
/// Names that no line can express, such as a first name with `=`, or with a leading `#`, or a line
/// break, become comments; so do suggestions that cannot be rules, such as names with `*`.
[[nodiscard]] SAFESTRUCTURES_API std::string format_renames(
    std::span<const RenameRule> rules, std::span<const RenameSuggestion> suggestions);

}  // namespace safestructures::inline v0
