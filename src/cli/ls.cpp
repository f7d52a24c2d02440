#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/input.hpp"
#include "cli/tensor_list.hpp"
#include "cli/tensor_list_json.hpp"
#include "data/text/printable.hpp"
#include "data/text/text_table.hpp"

namespace safestructures::cli {
namespace {

struct LsOptions {
  std::string file;
  std::string glob;
  std::string sort;
  bool json = false;
};

void print_json(std::ostream& out, const std::vector<ListedTensor>& tensors) {
  out << '[';
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    out << (i == 0 ? "{" : ", {");
    write_place_members(out, tensors[i]);
    out << '}';
  }
  out << "]\n";
}

void print_table(std::ostream& out, const TensorList& list) {
  using Align = detail::TextTable::Align;
  std::vector<Align> columns = {Align::left, Align::left, Align::right};
  if (list.is_of_recording) columns.insert(columns.end(), {Align::right, Align::right});
  columns.push_back(Align::none);
  detail::TextTable table(std::move(columns));
  for (const ListedTensor& one : list.tensors) {
    table.next() += to_string(one.dtype);
    table.next() += to_string(one.shape);
    table.next() += std::to_string(one.bytes);
    if (list.is_of_recording) {
      table.next() += std::to_string(one.record->step);
      table.next() += std::to_string(one.record->call);
    }
    std::string& last = table.next();
    detail::append_printable(last, one.path);
    if (one.record && one.kept != "full") last += "  kept: " + one.kept;
  }
  std::string line;
  for (std::size_t i = 0; i < table.lines(); ++i) {
    line.clear();
    table.append_line(line, i);
    out << line << '\n';
  }
}

void list(const LsOptions& options) {
  TensorList list = list_tensors(open_input_or_recording(options.file));
  keep_matching(list, options.glob);
  if (options.sort == "name") std::ranges::stable_sort(list.tensors, {}, &ListedTensor::path);
  if (options.sort == "size")
    std::ranges::stable_sort(list.tensors, std::greater(), &ListedTensor::bytes);
  for (const std::string& line : list.notes) note(options.file + ": " + line);
  Output out(stdout, "the standard output");
  if (options.json) print_json(out, list.tensors);
  else print_table(out, list);
  out.finish();
}

}  // namespace

void add_ls(CLI::App& app) {
  const auto options = std::make_shared<LsOptions>();
  CLI::App* command =
      app.add_subcommand("ls", "List the tensors of a file or recording, one per line");
  command->add_option("FILE", options->file, input_or_recording_help())->required();
  command->add_option("GLOB", options->glob,
                      "Only tensors whose path matches: * matches any text, ? one character, [a-c] "
                      "one of these characters");
  command
      ->add_option(
          "--sort", options->sort,
          "Sort by name, or by size with the largest first (default: the order of the structure, "
          "or of the calls)")
      ->transform(one_of("order", {"name", "size"}))
      ->option_text("name|size");
  command->add_flag(
      "--json", options->json,
      "Print JSON, for programs: a list of objects with path, dtype, shape, bytes and, for a "
      "recording, the record");
  command->footer(
      "Each line shows dtype, shape, size in bytes and path, in the order of the\n"
      "structure; tensors that it does not use come last, with their names in the file.\n"
      "For a recording, step and call come before the name of the record, in the order\n"
      "of the calls.\n\n"
      "Examples:\n"
      "  safestructures ls model.safetensors\n"
      "  safestructures ls model.safetensors '*/weight' --sort size | head\n"
      "  safestructures ls checkpoint --json | jq 'map(.bytes) | add'\n"
      "  safestructures ls run 'decoder.*' --sort size");
  command->callback([options] { list(*options); });
}

}  // namespace safestructures::cli
