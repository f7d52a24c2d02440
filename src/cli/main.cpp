#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "codecs/nearest_name.hpp"
#include "data/printable.hpp"

namespace safestructures::cli {

void report(std::string_view message) {
  std::string line = "safestructures: ";
  detail::append_printable(line, message);
  std::cerr << line << '\n';
}

bool is_fault_of_call(ErrorCode code) noexcept {
  constexpr std::array codes = {ErrorCode::cannot_write,     ErrorCode::not_found,
                                ErrorCode::invalid_argument, ErrorCode::out_of_range,
                                ErrorCode::lossy_conversion, ErrorCode::type_mismatch};
  return std::ranges::find(codes, code) != codes.end();
}

namespace {

constexpr std::string_view description =
    "Shows, checks and converts files of structures with tensors: safetensors files with or "
    "without\n"
    "the schema of safestructures, and checkpoints in several files by their .index.json.";

constexpr std::string_view examples =
    "Examples:\n"
    "  safestructures show model.safetensors                    the structure as a tree\n"
    "  safestructures get model.safetensors /layers/0/weight    one value of it\n"
    "  safestructures verify *.safetensors                      is every byte in order?\n"
    "  safestructures convert big.safetensors small.safetensors --precision f16\n"
    "\n"
    "A PATH leads from the root of the structure by fields, dict keys and positions: "
    "/layers/0/weight.\n"
    "'safestructures COMMAND --help' shows the options of a command and examples.\n"
    "Exit codes: 0 fine, 1 the file is at fault, 2 the call is.";

/// CLI11 calls a wrong command an unexpected argument; this names the right ones.
void check_command(const CLI::App& app, std::string_view word) {
  if (word.starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::find(names, word) != names.end()) return;
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::optional<std::string_view> nearest = detail::nearest_name(word, views);
  throw CallError("there is no command '" + std::string(word) + "': " +
                  (nearest ? "did you mean '" + std::string(*nearest) + "'?"
                           : fmt::format("the commands are {}.", fmt::join(names, ", "))));
}

/// What was wrong with the arguments of the command that was reached.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "safestructures ";
  for (const CLI::App* used : app.get_subcommands()) command += used->get_name() + " ";
  std::string problem = error.what();
  while (!problem.empty() && (problem.back() == '\n' || problem.back() == '.')) problem.pop_back();
  return problem + ". See '" + command + "--help'.";
}

/// The usage line says what is required, and the descriptions say what excludes what.
void hide_types(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (option->get_option_text().empty()) option->option_text(" ");
}

void parse(CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) {
    std::cerr << app.help() << std::flush;
    throw CLI::RuntimeError(exit_bad_call);
  }
  check_command(app, argv[1]);
  app.parse(argc, argv);
}

int run(int argc, const char* const* argv) {
  CLI::App app{std::string(description), "safestructures"};
  app.footer(std::string(examples));
  app.set_version_flag("--version", "safestructures " SAFESTRUCTURES_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(24);
  add_show(app);
  add_verify(app);
  add_get(app);
  add_convert(app);
  hide_types(app);
  try {
    parse(app, argc, argv);
    return exit_fine;
  } catch (const CLI::CallForHelp&) {
    Output out(stdout, "the standard output");
    out << app.help();
    out.finish();
    return exit_fine;
  } catch (const CLI::CallForVersion& version) {
    Output out(stdout, "the standard output");
    out << version.what() << '\n';
    out.finish();
    return exit_fine;
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    throw CallError(explain(app, error));
  }
}

int guarded_run(int argc, const char* const* argv) {
  try {
    return run(argc, argv);
  } catch (const Reported&) {
    return exit_bad_file;
  } catch (const CallError& error) {
    report(error.what());
    return exit_bad_call;
  } catch (const std::bad_alloc&) {
    report("there is not enough memory.");
    return exit_bad_file;
  } catch (const std::exception& error) {
    report(error.what());
    return exit_bad_file;
  }
}

}  // namespace
}  // namespace safestructures::cli

int main(int argc, char** argv) { return safestructures::cli::guarded_run(argc, argv); }
