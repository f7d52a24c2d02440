#include <cctype>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/describe_app.hpp"
#include "cli/console/output.hpp"

namespace safestructures::cli {
namespace {

/// Escapes the text of a manual page where groff would interpret it.
std::string roff(std::string_view text) {
  std::string escaped;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') escaped += "\\e";
    else if (c == '-') escaped += "\\-";
    else escaped += c;
    at_start = c == '\n';
  }
  return escaped;
}

std::string option_names(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.value.empty()) names += " \\fI" + roff(option.value) + "\\fR";
  return names;
}

void print_options(std::ostream& out, const CommandText& command) {
  for (const std::vector<OptionText>* options : {&command.arguments, &command.options})
    for (const OptionText& option : *options)
      out << ".TP\n" << option_names(option) << '\n' << roff(option.description) << '\n';
}

void print_preformatted(std::ostream& out, std::string_view text) {
  if (!text.empty()) out << ".PP\n.nf\n" << roff(text) << "\n.fi\n";
}

/// Prints the manual page, for `man`.
void print_manual(std::ostream& out, const CLI::App& app) {
  const CommandText program = describe_app(app);
  const std::vector<CommandText> commands = describe_commands(app);
  out << ".TH SAFESTRUCTURES 1 \"\" \"safestructures " SAFESTRUCTURES_VERSION "\"\n"
      << ".SH NAME\nsafestructures \\- show, check, compare and convert files of tensors\n"
      << ".SH SYNOPSIS\n";
  for (const CommandText& command : commands)
    out << "\\fBsafestructures " << command.name << "\\fR " << roff(command.usage) << "\n.br\n";
  out << ".SH DESCRIPTION\n" << roff(program.description) << '\n';
  print_preformatted(out, program.footer);
  out << ".SH OPTIONS\n";
  print_options(out, program);
  for (const CommandText& command : commands) {
    std::string title = command.name;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out << ".SH " << title << "\n\\fBsafestructures " << command.name << "\\fR "
        << roff(command.usage) << "\n.PP\n"
        << roff(command.description) << ".\n";
    print_options(out, command);
    print_preformatted(out, command.footer);
  }
}

struct HelpOptions {
  std::string command;
  bool manual = false;
};

}  // namespace

void add_help(CLI::App& app) {
  const auto options = std::make_shared<HelpOptions>();
  CLI::App* command = app.add_subcommand("help", "Show help for the tool or for one command");
  std::vector<std::string> names;
  for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
  command
      ->add_option("COMMAND", options->command, "The command to explain (default: the whole tool)")
      ->transform(one_of("command", std::move(names)));
  command->add_flag("--man", options->manual,
                    "Print the manual page, in the format that man reads");
  command->footer(
      "Examples:\n"
      "  safestructures help convert\n"
      "  safestructures help --man | man -l -");
  command->callback([&app, options] {
    if (!options->manual) throw CLI::CallForHelp();
    Output out(stdout, "the standard output");
    print_manual(out, app);
    out.finish();
  });
}

}  // namespace safestructures::cli
