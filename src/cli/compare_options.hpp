/// \file
/// The options of `diff` and `report` that say what to compare, and the comparison itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include "cli/input.hpp"

namespace safestructures::cli {

/// The options as given.
struct CompareArguments {
  std::string rtol;
  std::string atol;
  std::vector<std::string> tolerances;
  std::vector<std::string> renames;
  std::vector<std::string> rename_files;
  std::vector<std::string> only;
  std::vector<std::string> ignored;
  std::vector<std::string> noise;
  bool exact_dtypes = false;
};

/// Adds the options to a command. `given` must live as long as the command.
void add_compare_options(CLI::App& command, CompareArguments& given);

/// Converts the options. \throws CallError naming the option
CompareOptions compare_options(const CompareArguments& given);

/// \throws CallError if more than one of the inputs is `-`
void require_one_standard_input(const std::string& a, const std::string& b,
                                const CompareArguments& given);

/// Refuses an output that would replace an input or a file of rules.
/// \throws CallError as the general `require_no_input`
void require_no_input(std::string_view option, const std::string& output, const std::string& a,
                      const std::string& b, const CompareArguments& given);

/// Two compared inputs, both still open.
struct ComparedInputs {
  Input a;
  Input b;
  Comparison found;
};

/// Opens two files, or two recordings, and compares them, showing progress on a terminal.
/// \param noise further runs, as given
/// \throws CallError for a file and a recording
ComparedInputs compare_inputs(const std::string& a, const std::string& b, CompareOptions options,
                              const std::vector<std::string>& noise);

}  // namespace safestructures::cli
