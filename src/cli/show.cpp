#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/tools/document.hpp>
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/input.hpp"
#include "cli/show_json.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

constexpr std::size_t everything = static_cast<std::size_t>(-1);

struct ShowOptions {
  std::string file;
  std::string path;
  bool all = false;
  bool json = false;
  std::size_t items = PrintOptions{}.items;
  std::size_t depth = PrintOptions{}.depth;
};

std::uint64_t size_on_disk(const std::vector<std::filesystem::path>& files) {
  std::uint64_t size = 0;
  std::error_code failure;
  for (const std::filesystem::path& one : files) {
    const std::uintmax_t bytes = std::filesystem::file_size(one, failure);
    if (!failure) size += bytes;
  }
  return size;
}

std::string text_in_quotes(std::string_view text, bool all) {
  return to_string(Value(text), {.text = all ? everything : PrintOptions{}.text});
}

/// What there is to say of the file as a whole.
void print_summary(std::ostream& out, const Document& document, const Source& source,
                   const ShowOptions& options, bool is_coloured) {
  const Content& content = document.content();
  const auto title = [&](std::string_view text) {
    return coloured(text, Role::label, is_coloured);
  };
  std::string name;
  detail::append_printable(name, source.name());
  out << title("file") << "      " << name << ", "
      << human_size(options.file == "-" ? source.size() : size_on_disk(content.files));
  if (content.files.size() > 1)
    out << " in " << content.files.size() - 1 << " files and their index";
  out << '\n' << title("tensors") << "   " << content.tensor_count;
  if (content.tensor_count > 0) out << ", " << human_size(content.tensor_bytes);
  out << '\n' << title("schema") << "    " << content.description << '\n';
  std::string before = title("metadata") + "  ";
  for (const auto& [key, value] : document.metadata()) {
    std::string printable;
    detail::append_printable(printable, key);
    // The line end that text in quotes brings along is its own.
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

void show(const ShowOptions& options) {
  const std::shared_ptr<const Source> source = open_source(options.file);
  const Document document = Document::open(source, {.format = format_of(*source)});
  Output out(stdout, "the standard output");
  const bool colours = is_coloured(stdout);
  const PrintOptions print_options = {.items = options.all ? everything : options.items,
                                      .text = options.all ? everything : PrintOptions{}.text,
                                      .depth = options.all ? everything : options.depth};
  if (options.json) {
    print_json(out, document);
  } else if (!options.path.empty()) {
    print_tree(out, blame_arguments([&] { return document.at(options.path); }).value(),
               print_options, colours);
  } else {
    print_summary(out, document, *source, options, colours);
    print_tree(out, document.root(), print_options, colours);
    print_unreferenced(out, document, print_options, colours);
  }
  out.finish();
}

}  // namespace

void add_show(CLI::App& app) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Show the structure of a file as a tree");
  command->add_option("FILE", options->file, input_help)->required();
  CLI::Option* path =
      command->add_option("PATH", options->path, "Show only what is there, such as /layers/0");
  CLI::Option* all =
      command->add_flag("--all", options->all, "Every item, every level, whole strings");
  CLI::Option* items =
      command->add_option("--items", options->items, "Items shown of each list or dict")
          ->option_text("N (12)")
          ->excludes(all);
  CLI::Option* depth = command->add_option("--depth", options->depth, "Levels shown")
                           ->option_text("N (100)")
                           ->excludes(all);
  command
      ->add_flag(
          "--json", options->json,
          "For programs: one object of metadata, schema, and tensors with their dtype, shape\n"
          "and data_offsets")
      ->excludes(path)
      ->excludes(all)
      ->excludes(items)
      ->excludes(depth);
  command->footer(
      "Examples:\n"
      "  safestructures show model.safetensors\n"
      "  safestructures show model.safetensors /layers --depth 2\n"
      "  safestructures show model.safetensors.index.json --items 100\n"
      "  safestructures show model.safetensors --json | jq '.tensors | keys'");
  command->callback([options] { show(*options); });
}

}  // namespace safestructures::cli
