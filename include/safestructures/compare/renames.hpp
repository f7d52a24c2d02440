/// \file
/// Rules for other names as text, in a file that is kept beside the runs.
///
///     # same numbers
///     encoder.0=enc.layer.0
///     decoder.*.w=model.decoder.*.weight
///
/// A line is a rule, as `RenameRule` has it, up to its first `=` and from there on. Empty lines say
/// nothing, nor do those that begin with `#`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// The rules in such a text. Whether they can be carried out is seen by `compare`.
/// \param name of the file, for errors \throws Error `invalid_argument` naming the line
[[nodiscard]] SAFESTRUCTURES_API std::vector<RenameRule> parse_renames(
    std::string_view text, const std::string& name = "renames");

/// Such a text: the rules that were applied, then what was suggested beside them, each behind its
/// reason. What no line can say, as a first name with `=`, one that begins with `#` and line
/// breaks, is a comment; so is a suggestion that no rule can be, as of names with `*`.
[[nodiscard]] SAFESTRUCTURES_API std::string format_renames(
    std::span<const RenameRule> rules, std::span<const RenameSuggestion> suggestions);

}  // namespace safestructures::inline v0
