#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/tools/document.hpp>
#include "cli/chosen_value.hpp"
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/input.hpp"
#include "cli/show_json.hpp"
#include "cli/show_recording.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

constexpr std::size_t everything = static_cast<std::size_t>(-1);

struct ShowOptions {
  std::string file;
  ValueChoice value;
  bool all = false;
  bool json = false;
  std::size_t items = PrintOptions{}.items;
  std::size_t depth = PrintOptions{}.depth;
};

std::string text_in_quotes(std::string_view text, bool all) {
  return to_string(Value(text), {.text = all ? everything : PrintOptions{}.text});
}

/// Prints what is known about the file as a whole.
void print_summary(std::ostream& out, const Input& input, const ShowOptions& options,
                   bool is_coloured) {
  const Document& document = *input.document;
  const Content& content = document.content();
  const auto title = [&](std::string_view text) {
    return coloured(text, Role::label, is_coloured);
  };
  std::string name;
  detail::append_printable(name, document.name());
  out << title("file") << "      " << name << ", "
      << human_size(options.file == "-" ? input.source->size() : size_on_disk(content.files));
  if (content.files.size() > 1)
    out << " in " << content.files.size() - 1 << " files and their index";
  out << '\n' << title("tensors") << "   " << content.tensor_count;
  if (content.tensor_count > 0) out << ", " << human_size(content.tensor_bytes);
  out << '\n' << title("schema") << "    " << content.description << '\n';
  std::string before = title("metadata") + "  ";
  for (const auto& [key, value] : document.metadata()) {
    std::string printable;
    detail::append_printable(printable, key);
    // Quoted text already ends in a newline.
    out << before << printable << ": " << text_in_quotes(value, options.all);
    before = "          ";
  }
  out << '\n';
}

void print_unreferenced(std::ostream& out, const Document& document, const PrintOptions& options,
                        bool is_coloured) {
  const auto& extra = document.content().extra_tensors;
  if (extra.empty()) return;
  Value tensors = Value::structure();
  for (const auto& [name, tensor] : extra) tensors.insert(name, Value(tensor));
  out << "\nnot in the structure: " << detail::counted(extra.size(), "tensor") << '\n';
  std::ostringstream tree;
  print_tree(tree, tensors, options, is_coloured);
  out << tree.str().substr(tree.str().find('\n') + 1);
}

void print_file(std::ostream& out, const Input& input, const ShowOptions& options,
                const PrintOptions& print_options, bool is_coloured) {
  print_summary(out, input, options, is_coloured);
  print_tree(out, input.document->root(), print_options, is_coloured);
  print_unreferenced(out, *input.document, print_options, is_coloured);
}

void show(const ShowOptions& options) {
  const Input input = open_input_or_recording(options.file, Access::map);
  if (input.recording && options.json)
    throw CallError("--json is for files: 'safestructures ls " + options.file +
                    " --json' lists what a recording holds.");
  Output out(stdout, "the standard output");
  const bool colours = is_coloured(stdout);
  const PrintOptions print_options = {.items = options.all ? everything : options.items,
                                      .text = options.all ? everything : PrintOptions{}.text,
                                      .depth = options.all ? everything : options.depth};
  if (!options.value.path.empty()) {
    print_tree(out, chosen_value(input, options.value), print_options, colours);
  } else if (input.recording) {
    note_missing(input);
    print_recording(out, *input.recording, input.name, print_options, colours);
  } else if (options.json) {
    print_json(out, *input.document);
  } else {
    print_file(out, input, options, print_options, colours);
  }
  out.finish();
}

}  // namespace

void add_show(CLI::App& app) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      app.add_subcommand("show", "Show the structure of a file or recording as a tree");
  command->add_option("FILE", options->file, input_or_recording_help())->required();
  CLI::Option* path =
      command->add_option("PATH", options->value.path,
                          "Show only the value at this path, such as /layers/0; for a recording, "
                          "the record of this name, or a value inside it: decoder/logits");
  add_record_options(*command, options->value);
  for (const char* of_record : {"--step", "--call"}) command->get_option(of_record)->needs(path);
  CLI::Option* all =
      command->add_flag("--all", options->all, "Show every item, every level and whole strings");
  CLI::Option* items = command
                           ->add_option("--items", options->items,
                                        "The most items shown of each list or dict (default: 12)")
                           ->option_text("N")
                           ->excludes(all);
  CLI::Option* depth =
      command->add_option("--depth", options->depth, "The most levels shown (default: 100)")
          ->option_text("N")
          ->excludes(all);
  command
      ->add_flag(
          "--json", options->json,
          "Print JSON, for programs: an object with metadata, schema and tensors, each with its "
          "dtype, shape and data_offsets")
      ->excludes(path)
      ->excludes(all)
      ->excludes(items)
      ->excludes(depth);
  command->footer(
      "Examples:\n"
      "  safestructures show model.safetensors\n"
      "  safestructures show model.safetensors /layers --depth 2\n"
      "  safestructures show model.safetensors.index.json --items 100\n"
      "  safestructures show model.safetensors --json | jq '.tensors | keys'\n"
      "  safestructures show run --items 100");
  command->callback([options] { show(*options); });
}

}  // namespace safestructures::cli
