/// \file
/// Parses the command line: explains what is wrong with it, and provides the `help` command.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace safestructures::cli {

/// Returns the command of that name. \throws CallError that names the nearest one, or all
CLI::App& find_command(CLI::App& app, std::string_view word);

/// Parses the words after the program's name and runs the command that they call. `help COMMAND` is
/// `COMMAND --help`.
/// \throws CallError for an unknown command or option, suggesting the one that may have been meant;
/// whatever CLI11 or the command throws
void parse(CLI::App& app, std::span<const char* const> words);

/// Returns what was wrong with the arguments of the command that was reached.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace safestructures::cli
