/// \file
/// The subcommands, and what they have in common. Each is a function that adds itself to the
/// command line, in a file of its name. The work runs in CLI11's callback and reports failures as
/// exceptions, which main turns into a line on standard error and an exit code.
#pragma once

#include <stdexcept>
#include <string_view>

#include <safestructures/data/error.hpp>

namespace CLI {
class App;
}

namespace safestructures::cli {

inline constexpr int exit_fine = 0;
inline constexpr int exit_bad_file = 1;
inline constexpr int exit_bad_call = 2;

/// The call cannot succeed, whatever the file contains.
struct CallError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The file is at fault, and that has already been reported.
struct Reported {};

/// Prints a line on standard error: `safestructures: MESSAGE`, made safe for a terminal.
void report(std::string_view message);
/// Does the same for a note that is not a failure: `safestructures: note: MESSAGE`.
void note(std::string_view message);

/// Returns whether an error is caused by the arguments rather than by the file that is read.
bool is_fault_of_call(const Error& error) noexcept;

/// Runs `work` for the arguments; Errors that the arguments cause become CallErrors.
template <class Work>
auto blame_arguments(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (is_fault_of_call(error)) throw CallError(error.what());
    throw;
  }
}

void add_show(CLI::App& app);
void add_ls(CLI::App& app);
void add_get(CLI::App& app);
void add_verify(CLI::App& app);
void add_convert(CLI::App& app);
void add_recover(CLI::App& app);
void add_diff(CLI::App& app);
void add_stats(CLI::App& app);
void add_report(CLI::App& app);
/// Must come after all others, whose options it completes and whose names it takes.
void add_completion(CLI::App& app);
void add_help(CLI::App& app);

}  // namespace safestructures::cli
