#include <algorithm>
#include <any>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/data/walk.hpp>
#include <safestructures/tools/document.hpp>
#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/input.hpp"
#include "cli/json_string.hpp"
#include "data/path_text.hpp"
#include "data/text/glob.hpp"
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

struct Row {
  std::string path;
  std::string dtype;
  std::string shape;
  std::uint64_t bytes = 0;
};

Row row_of(std::string path, const Value& value) {
  return {std::move(path), std::string(to_string(value.tensor().dtype())),
          to_string(value.tensor().shape()), value.tensor().byte_size()};
}

/// Every tensor by its path; those that the structure does not use by their name in the file.
std::vector<Row> rows_of(const Document& document) {
  std::vector<Row> rows;
  detail::PathText kept(document.name());
  walk(document.root(), [&](const Place& place) {
    const Kind kind = place.value().kind();
    if (kind != Kind::tensor && kind != Kind::bytes) return Next::into;
    rows.push_back(row_of(place.path().to_string(), place.value()));
    kept.add(rows.back().path);
    return Next::over;
  });
  for (const auto& [name, tensor] : document.content().extra_tensors)
    rows.push_back(row_of(name, Value(tensor)));
  return rows;
}

void print_json(std::ostream& out, const std::vector<Row>& rows) {
  out << '[';
  for (std::size_t i = 0; i < rows.size(); ++i)
    out << (i == 0 ? "" : ", ")
        << fmt::format(R"({{"path": {}, "dtype": "{}", "shape": {}, "bytes": {}}})",
                       json_string(rows[i].path), rows[i].dtype, rows[i].shape, rows[i].bytes);
  out << "]\n";
}

void print_table(std::ostream& out, const std::vector<Row>& rows) {
  using Align = detail::TextTable::Align;
  detail::TextTable table({Align::left, Align::left, Align::right, Align::none});
  for (const Row& row : rows) {
    table.next() += row.dtype;
    table.next() += row.shape;
    table.next() += std::to_string(row.bytes);
    detail::append_printable(table.next(), row.path);
  }
  std::string line;
  for (std::size_t i = 0; i < table.lines(); ++i) {
    line.clear();
    table.append_line(line, i);
    out << line << '\n';
  }
}

void list(const LsOptions& options) {
  const Document document = open_input(options.file);
  std::vector<Row> rows = rows_of(document);
  if (!options.glob.empty())
    std::erase_if(rows,
                  [&](const Row& row) { return !detail::matches_glob(options.glob, row.path); });
  if (options.sort == "name") std::ranges::stable_sort(rows, {}, &Row::path);
  if (options.sort == "size") std::ranges::stable_sort(rows, std::greater(), &Row::bytes);
  Output out(stdout, "the standard output");
  if (options.json) print_json(out, rows);
  else print_table(out, rows);
  out.finish();
}

}  // namespace

void add_ls(CLI::App& app) {
  const auto options = std::make_shared<LsOptions>();
  CLI::App* command = app.add_subcommand("ls", "List the tensors of a file, one a line");
  command->add_option("FILE", options->file, input_help)->required();
  command->add_option("GLOB", options->glob,
                      "Only those whose path matches: * is any text, ? a character, [a-c] one of\n"
                      "these");
  command->add_option("--sort", options->sort, "By name, or by size, the largest first")
      ->transform(one_of("order", {"name", "size"}))
      ->option_text("name|size");
  command->add_flag("--json", options->json,
                    "For programs: a list of objects of path, dtype, shape and bytes");
  command->footer(
      "A line holds dtype, shape, bytes and path. They are in the order of the structure; tensors\n"
      "that it does not use come last, by their name in the file.\n\n"
      "Examples:\n"
      "  safestructures ls model.safetensors\n"
      "  safestructures ls model.safetensors '*/weight' --sort size | head\n"
      "  safestructures ls checkpoint --json | jq 'map(.bytes) | add'");
  command->callback([options] { list(*options); });
}

}  // namespace safestructures::cli
