#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/describe_app.hpp"
#include "cli/console/output.hpp"

namespace safestructures::cli {
namespace {

std::string words_of(const std::vector<OptionText>& options) {
  std::vector<std::string> words;
  for (const OptionText& option : options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string names_of(const std::vector<CommandText>& commands) {
  std::string names;
  for (const CommandText& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

/// Returns a text in a shell's single quotes. \param quote what replaces a quote inside
std::string quoted(std::string_view text, std::string_view quote) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(quote) : std::string(1, c);
  return result + "'";
}

/// Returns whether a shell completes file names here. Numbers, sizes, globs and rules are not
/// files.
bool takes_file(const OptionText& option) {
  return option.choices.empty() && (option.value == "FILE" || option.value == "RUN");
}

void print_bash_completion(std::ostream& out, const CLI::App& app) {
  const std::vector<CommandText> commands = describe_commands(app);
  out << "# bash completion of safestructures; made by 'safestructures completion bash'\n"
         "_safestructures() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  COMPREPLY=()\n"
         "  # Of --sort=name bash makes three words, the middle one '='.\n"
         "  if [[ $word == '=' ]]; then word=\n"
         "  elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  if ((COMP_CWORD == 1)); then\n"
      << fmt::format("    words='{} {}'\n", names_of(commands), words_of(describe_app(app).options))
      << "  else\n"
         "    case ${COMP_WORDS[1]} in\n";
  for (const CommandText& command : commands) {
    out << fmt::format("      {})\n        case $before in\n", command.name);
    for (const OptionText& option : command.options) {
      if (option.value.empty()) continue;
      // If there are no choices, the shell completes file names, unless told not to.
      out << fmt::format("          {}) words='{}'{} ;;\n", fmt::join(option.names, "|"),
                         fmt::join(option.choices, " "),
                         takes_file(option) ? "; return"
                         : option.choices.empty()
                             ? "; compopt +o default +o bashdefault 2>/dev/null; return"
                             : "");
    }
    std::string choices;
    for (const OptionText& argument : command.arguments)
      if (!argument.choices.empty()) choices = fmt::format("{}", fmt::join(argument.choices, " "));
    out << fmt::format(
        "          *) if [[ $word == -* ]]; then words='{}'; else words='{}'; fi ;;\n"
        "        esac ;;\n",
        words_of(command.options), choices);
  }
  out << "    esac\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o bashdefault -o default -F _safestructures safestructures\n";
}

void print_zsh_completion(std::ostream& out, const CLI::App& app) {
  // In a specification of _arguments, brackets and colons are special.
  const auto plain = [](std::string_view text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped;
  };
  const auto specification = [&](const OptionText& option, const std::string& name) {
    std::string text = name;
    // The value may follow `=`, or be in the same word.
    if (!option.value.empty()) text += name.starts_with("--") ? "=" : "+";
    text += "[" + plain(option.description) + "]";
    if (!option.value.empty()) {
      text += ":" + plain(option.value) + ":";
      if (takes_file(option)) text += "_files";
      if (!option.choices.empty()) text += fmt::format("({})", fmt::join(option.choices, " "));
    }
    return quoted(text, "'\\''");
  };
  const std::vector<CommandText> commands = describe_commands(app);
  out << "#compdef safestructures\n"
         "# zsh completion of safestructures; made by 'safestructures completion zsh'\n"
         "_safestructures() {\n"
         "  if ((CURRENT == 2)); then\n"
         "    local -a commands=(\n";
  for (const CommandText& command : commands)
    out << "      " << quoted(command.name + ":" + plain(command.description), "'\\''") << '\n';
  out << "    )\n"
         "    _describe command commands\n";
  out << "    _arguments";
  for (const OptionText& option : describe_app(app).options)
    for (const std::string& name : option.names)
      out << " \\\n      " << specification(option, name);
  out << "\n    return\n"
         "  fi\n"
         "  case $words[2] in\n";
  for (const CommandText& command : commands) {
    out << "    " << command.name << ")\n      _arguments";
    for (const OptionText& option : command.options)
      for (const std::string& name : option.names)
        out << " \\\n        " << specification(option, name);
    std::string choices = "_files";
    for (const OptionText& argument : command.arguments)
      if (!argument.choices.empty())
        choices = fmt::format("({})", fmt::join(argument.choices, " "));
    // The command itself is the first argument.
    out << " \\\n        '1: :' '*: :" << choices << "' ;;\n";
  }
  out << "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _safestructures ]]; then _safestructures \"$@\"\n"
         "else compdef _safestructures safestructures; fi\n";
}

void print_fish_completion(std::ostream& out, const CLI::App& app) {
  out << "# fish completion of safestructures; made by 'safestructures completion fish'\n";
  const auto line = [&](const std::string& condition, const std::string& rest,
                        std::string_view description) {
    out << "complete -c safestructures -n " << condition << ' ' << rest << " -d "
        << quoted(description, "\\'") << '\n';
  };
  const auto option_flags = [](const OptionText& option) {
    std::string flags;
    for (const std::string& name : option.names)
      flags += (flags.empty() ? "" : " ") +
               (name.starts_with("--") ? "-l " + name.substr(2) : "-s " + name.substr(1));
    if (!option.choices.empty())
      flags += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    else if (!option.value.empty()) flags += takes_file(option) ? " -r" : " -x";
    return flags;
  };
  for (const OptionText& option : describe_app(app).options)
    line("__fish_use_subcommand", option_flags(option), option.description);
  for (const CommandText& command : describe_commands(app)) {
    line("__fish_use_subcommand", "-f -a " + command.name, command.description);
    const std::string seen = "'__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionText& option : command.options)
      line(seen, option_flags(option), option.description);
    for (const OptionText& argument : command.arguments)
      if (!argument.choices.empty())
        line(seen, fmt::format("-f -a '{}'", fmt::join(argument.choices, " ")),
             argument.description);
  }
}

}  // namespace

void add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print the completion script for bash, zsh or fish");
  command->add_option("SHELL", *shell, "The shell: bash, zsh or fish")
      ->required()
      ->transform(one_of("shell", {"bash", "zsh", "fish"}));
  command->footer(
      "If safestructures is installed, the shells find these scripts by themselves.\n"
      "Otherwise, add a line to the configuration of your shell:\n"
      "  ~/.bashrc                   eval \"$(safestructures completion bash)\"\n"
      "  ~/.zshrc, after compinit    eval \"$(safestructures completion zsh)\"\n"
      "  ~/.config/fish/config.fish  safestructures completion fish | source\n\n"
      "Examples:\n"
      "  safestructures completion bash \\\n"
      "    > ~/.local/share/bash-completion/completions/safestructures");
  command->callback([&app, shell] {
    Output out(stdout, "the standard output");
    if (*shell == "bash") print_bash_completion(out, app);
    else if (*shell == "zsh") print_zsh_completion(out, app);
    else print_fish_completion(out, app);
    out.finish();
  });
}

}  // namespace safestructures::cli
