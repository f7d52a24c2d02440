#include "cli/console/describe_app.hpp"

#include <algorithm>
#include <utility>

#include "cli/console/choice.hpp"

namespace safestructures::cli {
namespace {

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  if (option.get_positional()) text.names.push_back(option.get_name());
  text.choices = choices_of(option);
  if (!option.get_positional() && option.get_items_expected_max() > 0) {
    text.value = option.get_option_text();
  }
  text.description = on_one_line(option.get_description());
  return text;
}

}  // namespace

CommandText describe_app(const CLI::App& app) {
  CommandText text{.name = app.get_name(),
                   .usage = "[OPTIONS]",
                   .description = on_one_line(app.get_description()),
                   .options = {},
                   .arguments = {},
                   .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    OptionText one = describe_option(*option);
    if (!option->get_positional()) {
      text.options.push_back(std::move(one));
      continue;
    }
    std::string name = option->get_name();
    if (option->get_items_expected_max() > 1) name += "...";
    text.usage += option->get_required() ? " " + name : " [" + name + "]";
    text.arguments.push_back(std::move(one));
  }
  return text;
}

std::vector<CommandText> describe_commands(const CLI::App& app) {
  std::vector<CommandText> commands;
  for (const CLI::App* command : app.get_subcommands({}))
    commands.push_back(describe_app(*command));
  return commands;
}

}  // namespace safestructures::cli
