#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
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
    "Shows, checks and converts files of structures with tensors: safetensors files with or "
    "without\n"
    "the schema of safestructures, checkpoints in several files by their .index.json, JSON, "
    "MessagePack,\n"
    "CBOR, records and burnpacks of Burn, all of these packed by gzip too, and NumPy's .npz.\n"
    "Recordings of activations are given by their folder.";

constexpr std::string_view examples =
    "Examples:\n"
    "  safestructures show model.safetensors                       the structure as a tree\n"
    "  safestructures ls model.safetensors '*weight' --sort size   tensors, one a line\n"
    "  safestructures get model.safetensors /layers/0/weight       one value of it\n"
    "  safestructures verify *.safetensors                         is every byte in order?\n"
    "  safestructures convert big.safetensors small.safetensors --precision f16\n"
    "  safestructures diff run-cpp run-python                      where two runs part\n"
    "\n"
    "A PATH leads from the root of the structure by fields, dict keys and positions: "
    "/layers/0/weight.\n"
    "'safestructures help COMMAND' shows the options of a command and examples.\n"
    "Exit codes: 0 fine, 1 the file is at fault, 2 the call is.";

/// Hides CLI11's remarks on options: the usage line shows what is required, and the descriptions
/// say which options exclude each other.
void hide_types(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (option->get_option_text().empty()) option->option_text(" ");
}

int run(int argc, const char* const* argv) {
  CLI::App app{std::string(description), "safestructures"};
  app.footer(std::string(examples));
  app.set_version_flag("--version", "safestructures " SAFESTRUCTURES_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(24);
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
  hide_types(app);
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
