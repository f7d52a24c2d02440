#include "cli/console/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "data/text/nearest_name.hpp"

namespace safestructures::cli {
namespace {

/// Returns `did you mean 'show'?`, or `the commands are show, get.`
std::string suggestion(std::string_view word, const std::vector<std::string>& names,
                       std::string_view all) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  // Any other letter would be near a single one.
  const bool is_letter = word.size() == 2 && word[0] == '-';
  if (const std::optional<std::string_view> nearest = detail::nearest_name(word, views);
      nearest && !is_letter)
    return fmt::format("did you mean '{}'?", *nearest);
  return fmt::format("{} {}.", all, fmt::join(names, ", "));
}

/// Returns the names, `--all` and `-o`; none for positional arguments.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

/// Returns whether a word is meant as an option, unlike a number, a slice or `-`.
bool is_option(std::string_view word) {
  return word.size() >= 2 && word[0] == '-' &&
         (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

/// Checks for unknown options: CLI11 would call them an unexpected argument, or miss the argument
/// that it took for the option's.
/// \param command that they follow, or the tool itself
void check_options(const CLI::App& command, std::span<const std::string> words) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (std::string& name : names_of(*option)) known.push_back(std::move(name));
  for (const std::string& word : words) {
    if (word == "--") return;
    if (!is_option(word)) continue;
    const std::string name = word[1] == '-' ? word.substr(0, word.find('=')) : word.substr(0, 2);
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string& shown = word[1] == '-' ? name : word;
    if (command.get_parent() == nullptr)
      throw CallError(fmt::format("there is no option '{}': {} See 'safestructures --help'.", shown,
                                  suggestion(shown, known, "the options are")));
    throw CallError(fmt::format("{} has no option '{}': {} See 'safestructures {} --help'.",
                                command.get_name(), shown,
                                suggestion(shown, known, "its options are"), command.get_name()));
  }
}

template <class Number>
bool is_of(const CLI::Option& option) {
  return option.get_type_name() == CLI::detail::type_name<Number>();
}

/// Restricts an option to digits, with a sign if its type has one. CLI11 also accepts -1, +3, 0x10
/// and 010, and clamps numbers that are too large.
template <class Number>
void check_number(CLI::Option& option) {
  const auto check = [name = option.get_name()](std::string& text) -> std::string {
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc() || rest != end)
      throw CLI::ConversionError(name, std::vector<std::string>{text});
    text = std::to_string(number);
    return {};
  };
  option.transform(CLI::Validator(check, ""));
}

void check_numbers(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options()) {
      if (is_of<std::uint64_t>(*option)) check_number<std::uint64_t>(*option);
      if (is_of<std::int64_t>(*option)) check_number<std::int64_t>(*option);
    }
}

/// Rejects empty texts for all options: they would be as if the option was not given.
void check_texts(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (!option->get_positional() && option->get_items_expected_max() != 0)
        option->check(not_empty());
}

/// Returns what a number should have been.
std::string wrong_number(const CLI::App& app, const std::string& option, std::string_view given) {
  const bool is_number =
      !given.empty() && std::ranges::all_of(given, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) return fmt::format("{}: the number {} is too large", option, given);
  const bool is_signed = is_of<std::int64_t>(*app.get_subcommands().front()->get_option(option));
  return fmt::format("{}: expected a whole number{}, found '{}'", option,
                     is_signed ? "" : ", 0 or larger", given);
}

}  // namespace

CLI::App& find_command(CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return *command;
    names.push_back(command->get_name());
  }
  throw CallError(fmt::format("there is no command '{}': {}", word,
                              suggestion(word, names, "the commands are")));
}

void parse(CLI::App& app, std::span<const char* const> given) {
  std::vector<std::string> words(given.begin(), given.end());
  if (words.front() == "help" && (words.size() == 1 || !words[1].starts_with('-'))) {
    if (words.size() > 2)
      throw CallError("help explains one command at a time: 'safestructures help " + words[1] +
                      "'.");
    words = words.size() == 1 ? std::vector<std::string>{"--help"}
                              : std::vector<std::string>{words[1], "--help"};
  }
  if (is_option(words.front()))
    check_options(app, std::span(words.begin(), std::ranges::find_if_not(words, is_option)));
  else check_options(find_command(app, words.front()), std::span(words).subspan(1));
  check_numbers(app);
  check_texts(app);
  // CLI11 consumes them from the back.
  std::ranges::reverse(words);
  app.parse(std::move(words));
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "safestructures ";
  for (const CLI::App* used : app.get_subcommands()) command += used->get_name() + " ";
  std::string problem = error.what();
  // `--precision: 1 required TEXT:preserve|f32 missing`
  if (const std::size_t colon = problem.find(": 1 required "); colon != std::string::npos) {
    const std::size_t type = problem.find("TEXT:", colon);
    const std::string words = type == std::string::npos ? "" : problem.substr(type + 5);
    problem.resize(colon);
    problem += " needs a value" + (words.empty() ? "" : ": " + words.substr(0, words.rfind(' ')));
  }
  // `Could not convert: --items = x`, for options that are numbers.
  constexpr std::string_view unconverted = "Could not convert: ";
  if (const std::size_t equals = problem.find(" = ");
      problem.starts_with(unconverted) && equals != std::string::npos)
    problem = wrong_number(app, problem.substr(unconverted.size(), equals - unconverted.size()),
                           problem.substr(equals + 3));
  constexpr std::string_view excludes = " excludes ";
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExcludesError))
    problem.replace(problem.find(excludes), excludes.size(), " cannot be combined with ");
  while (!problem.empty() && (problem.back() == '\n' || problem.back() == '.')) problem.pop_back();
  return problem + ". See '" + command + "--help'.";
}

}  // namespace safestructures::cli
