/// \file
/// The command line as data, taken from CLI11; completion and the manual are made from it.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace safestructures::cli {

struct OptionText {
  std::vector<std::string> names;    ///< `--output`, `-o`; for a positional argument, its name.
  std::string value;                 ///< The placeholder for its value in help; empty for flags.
  std::string description;           ///< On one line.
  std::vector<std::string> choices;  ///< The words that it accepts; none if it accepts any.
};

struct CommandText {
  std::string name;
  std::string usage;  ///< `[OPTIONS] FILE [PATH]`
  std::string description;
  std::vector<OptionText> options;
  std::vector<OptionText> arguments;
  std::string footer;
};

/// Describes the program itself, or one of its commands.
CommandText describe_app(const CLI::App& app);

/// Describes all commands, in the order of the help text.
std::vector<CommandText> describe_commands(const CLI::App& app);

}  // namespace safestructures::cli
