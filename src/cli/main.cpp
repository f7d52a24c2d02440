#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/console/arguments.hpp"
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "data/text/printable.hpp"
#include "platform/os.hpp"

namespace safestructures::cli {

namespace {

void say(std::string_view message, Role role) {
  std::string line = coloured("safestructures:", role, is_coloured(stderr)) + " ";
  detail::append_printable(line, message);
  std::cerr << line << '\n';
}

}  // namespace

void report(std::string_view message) { say(message, Role::fault); }
void note(std::string_view message) { say("note: " + std::string(message), Role::note); }

bool is_fault_of_call(const Error& error) noexcept {
  const ErrorCode code = error.code();
  // Only errors of reading have a byte offset, and some of writing.
  if (error.details().offset && code != ErrorCode::cannot_write) return false;
  constexpr std::array codes = {ErrorCode::cannot_write,     ErrorCode::not_found,
                                ErrorCode::invalid_argument, ErrorCode::out_of_range,
                                ErrorCode::lossy_conversion, ErrorCode::type_mismatch};
  return std::ranges::find(codes, code) != codes.end();
}

namespace {

constexpr std::string_view description =
    "Shows, checks, compares and converts files that hold tensors and the structures\n"
    "around them: safetensors files with or without the schema of safestructures,\n"
    "checkpoints in several files (name their .index.json), JSON, MessagePack and\n"
    "CBOR files, Burn's records and burnpacks, PyTorch's files, all of these also\n"
    "inside gzip, and NumPy's .npz files. For a recording of activations, name its\n"
    "folder.";

constexpr std::string_view examples =
    "Examples:\n"
    "  safestructures show model.safetensors\n"
    "  safestructures ls model.safetensors '*weight' --sort size\n"
    "  safestructures get model.safetensors /layers/0/weight\n"
    "  safestructures verify *.safetensors\n"
    "  safestructures convert big.safetensors small.safetensors --precision f16\n"
    "  safestructures diff run-cpp run-python\n"
    "\n"
    "A PATH leads from the root of the structure to a value, by field names, dict\n"
    "keys and positions in lists: /layers/0/weight.\n"
    "\n"
    "'safestructures help COMMAND' explains a command and its options, with examples.\n"
    "\n"
    "Exit codes:\n"
    "  0  success\n"
    "  1  the file is damaged, malformed, missing or unreadable; for 'diff',\n"
    "     something differs\n"
    "  2  the command line is wrong, or what it asks for is impossible";

constexpr std::size_t help_width = 80;
constexpr std::size_t first_column = 24;  ///< The width of the names of options in help.

/// Breaks a text into lines of at most that width.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (column != 0) {
      const bool fits = column + 1 + word.size() <= width;
      lines += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    lines += word;
    column += word.size();
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return lines;
}

/// Lays the help out for a terminal of 80 columns, and hides CLI11's remarks on options: the usage
/// line shows which are required, and errors say which exclude each other.
void lay_out_help(CLI::App& app) {
  const std::shared_ptr<CLI::FormatterBase> formatter = app.get_formatter();
  formatter->column_width(first_column);
  formatter->label("Positionals", "Arguments");
  formatter->label("SUBCOMMAND", "COMMAND");
  for (CLI::App* command : app.get_subcommands({})) {
    command->group("Commands");
    for (CLI::Option* option : command->get_options()) {
      if (option->get_option_text().empty()) option->option_text(" ");
      option->description(wrapped(option->get_description(), help_width - first_column));
    }
  }
}

int run(int argc, const char* const* argv) {
  CLI::App app{std::string(description), "safestructures"};
  app.footer(std::string(examples));
  app.set_version_flag("--version", "safestructures " SAFESTRUCTURES_VERSION);
  app.require_subcommand(1);
  add_show(app);
  add_ls(app);
  add_get(app);
  add_verify(app);
  add_convert(app);
  add_recover(app);
  add_diff(app);
  add_stats(app);
  add_report(app);
  add_completion(app);
  add_help(app);
  lay_out_help(app);
  try {
    if (argc < 2) {
      std::cerr << app.help() << std::flush;
      return exit_bad_call;
    }
    parse(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
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
    // Printing this takes no memory.
    std::fputs("safestructures: there is not enough memory.\n", stderr);
    return exit_bad_file;
  } catch (const std::exception& error) {
    report(error.what());
    return exit_bad_file;
  }
}

}  // namespace
}  // namespace safestructures::cli

int main(int argc, char** argv) {
  safestructures::platform::os::clean_up_at_signals();
  return safestructures::cli::guarded_run(argc, argv);
}
