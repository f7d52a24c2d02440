/// \file
/// Options that take one of a few words, a size, or any text but none.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace safestructures::cli {

/// Takes one of the words, whatever its case, and makes it what it is in the list: for
/// `Option::transform`, as `Option::check` would leave the word in the user's case. The words are
/// the validator's description, `a|b|c`, where help, completion and the manual find them.
/// \param what what errors call a word: `precision`
CLI::Validator one_of(const std::string& what, std::vector<std::string> words);

/// Takes the name of a dtype.
CLI::Validator known_dtype();

/// Takes a number of bytes, or of what a unit says: 500MB, 5GiB. For `Option::transform`, which
/// makes bytes of it.
CLI::Validator size_in_bytes();

/// Takes any text but an empty one, which is mostly a variable of a shell that was not set.
CLI::Validator not_empty();

/// The words that an option takes; none where it takes any.
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace safestructures::cli
