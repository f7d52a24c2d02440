/// \file
/// The command line as it was given: what is wrong with it, and the `help` command.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace safestructures::cli {

/// The command of that name. \throws CallError that names the nearest one, or all
CLI::App& find_command(CLI::App& app, std::string_view word);

/// Parses the words after the program's name and runs the command that they call. `help COMMAND` is
/// `COMMAND --help`.
/// \throws CallError for an unknown command or option, with the one that may have been meant; what
/// CLI11 throws, what the command throws
void parse(CLI::App& app, std::span<const char* const> words);

/// What was wrong with the arguments of the command that was reached.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace safestructures::cli
