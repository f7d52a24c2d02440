#include <algorithm>
#include <functional>
#include <memory>
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
  const Input input = open_input_or_recording(options.file);
  TensorList list = list_tensors(input);
  if (!options.glob.empty()) keep_matching(list, {options.glob});
  if (options.sort == "name") std::ranges::stable_sort(list.tensors, {}, &ListedTensor::path);
  if (options.sort == "size")
    std::ranges::stable_sort(list.tensors, std::greater(), &ListedTensor::bytes);
  note_missing(input);
  Output out(stdout, "the standard output");
  if (options.json) print_json(out, list.tensors);
  else print_table(out, list);
  out.finish();
}

}  // namespace

void add_ls(CLI::App& app) {
  const auto options = std::make_shared<LsOptions>();
  CLI::App* command =
      app.add_subcommand("ls", "List the tensors of a file or a recording, one a line");
  command->add_option("FILE", options->file, input_or_recording_help())->required();
  command->add_option("GLOB", options->glob,
                      "Only those whose path matches: * is any text, ? a character, [a-c] one of\n"
                      "these");
  command->add_option("--sort", options->sort, "By name, or by size, the largest first")
      ->transform(one_of("order", {"name", "size"}))
      ->option_text("name|size");
  command->add_flag(
      "--json", options->json,
      "For programs: a list of objects of path, dtype, shape and bytes, and of the\nrecord");
  command->footer(
      "A line holds dtype, shape, bytes and path. They are in the order of the structure; tensors\n"
      "that it does not use come last, by their name in the file. Of a recording a line holds "
      "step\n"
      "and call too, before the record's name, in the order of the calls.\n\n"
      "Examples:\n"
      "  safestructures ls model.safetensors\n"
      "  safestructures ls model.safetensors '*/weight' --sort size | head\n"
      "  safestructures ls checkpoint --json | jq 'map(.bytes) | add'\n"
      "  safestructures ls run 'decoder.*' --sort size");
  command->callback([options] { list(*options); });
}

}  // namespace safestructures::cli
