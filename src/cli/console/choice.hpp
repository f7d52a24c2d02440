/// \file
/// Options that take one of a few words, a size, or any non-empty text.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace safestructures::cli {

/// Accepts one of the words, ignoring case, and replaces it by its spelling in the list. Use it
/// with `Option::transform`: `Option::check` would keep the user's case. The validator's
/// description is `a|b|c`, where help, completion and the manual find the words.
/// \param what the noun for a word in errors: `precision`
CLI::Validator one_of(const std::string& what, std::vector<std::string> words);

/// Accepts the name of a dtype.
CLI::Validator known_dtype();

/// Accepts a number of bytes, or a size with a unit: 500MB, 5GiB. For `Option::transform`, which
/// converts it to bytes.
CLI::Validator size_in_bytes();

/// Accepts any text but an empty one, which is usually an unset shell variable.
CLI::Validator not_empty();

/// Returns the words that an option accepts; none if it accepts any.
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace safestructures::cli
