/// \file
/// The command line as data, taken from CLI11's own: what completion and the manual are made of.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace safestructures::cli {

struct OptionText {
  std::vector<std::string> names;    ///< `--output`, `-o`; of an argument by position its name.
  std::string value;                 ///< What stands for its value in help; empty for flags.
  std::string description;           ///< On one line.
  std::vector<std::string> choices;  ///< The words that it takes; none where it takes any.
};

struct CommandText {
  std::string name;
  std::string usage;  ///< `[OPTIONS] FILE [PATH]`
  std::string description;
  std::vector<OptionText> options;
  std::vector<OptionText> arguments;
  std::string footer;
};

/// Of the program itself, or of one of its commands.
CommandText describe_app(const CLI::App& app);

/// Of all commands, in the order of the help text.
std::vector<CommandText> describe_commands(const CLI::App& app);

}  // namespace safestructures::cli
