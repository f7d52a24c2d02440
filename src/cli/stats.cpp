#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/console/choice.hpp"
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/tensor_list.hpp"
#include "cli/tensor_list_json.hpp"
#include "data/text/printable.hpp"
#include "data/text/text_table.hpp"

namespace safestructures::cli {
namespace {

struct StatsOptions {
  std::string file;
  std::string glob;
  std::string sort;
  bool json = false;
};

std::uint64_t infinities(const TensorStatistics& found) {
  return found.positive_infinities + found.negative_infinities;
}

/// Returns the number to sort by for `--sort`, except by name; larger ones come first. Tensors
/// whose number does not exist come last.
double rank(const ListedTensor& one, const std::string& sort) {
  const TensorStatistics& found = *one.statistics;
  if (sort == "size") return static_cast<double>(one.bytes);
  if (sort == "zeros") return static_cast<double>(found.zeros);
  if (sort == "nan") return static_cast<double>(found.nan + infinities(found));
  if (found.finite() == 0) return -std::numeric_limits<double>::infinity();
  if (sort == "min") return -found.min;
  if (sort == "max") return found.max;
  if (sort == "mean") return found.mean;
  if (sort == "std") return found.standard_deviation;
  return found.l2_norm;
}

void sort_tensors(std::vector<ListedTensor>& tensors, const std::string& sort) {
  if (sort.empty()) return;
  if (sort == "name") {
    std::ranges::stable_sort(tensors, {}, &ListedTensor::path);
    return;
  }
  std::ranges::stable_sort(tensors, std::greater(),
                           [&](const ListedTensor& one) { return rank(one, sort); });
}

/// Makes the table. The first two columns are text, all others numbers.
detail::TextTable table_of(const TensorList& list) {
  using Align = detail::TextTable::Align;
  std::vector<std::string_view> titles = {"dtype", "shape", "min",   "max", "mean",
                                          "std",   "L2",    "zeros", "NaN", "Inf"};
  if (list.is_of_recording) titles.insert(titles.end(), {"step", "call"});
  std::vector<Align> columns(titles.size(), Align::right);
  columns[0] = columns[1] = Align::left;
  detail::TextTable table(std::move(columns));
  for (const std::string_view title : titles) table.next() += title;
  for (const ListedTensor& one : list.tensors) {
    const TensorStatistics& found = *one.statistics;
    table.next() += to_string(one.dtype);
    table.next() += to_string(one.shape);
    for (const double number :
         {found.min, found.max, found.mean, found.standard_deviation, found.l2_norm}) {
      std::string& cell = table.next();
      if (found.finite() == 0) cell += '-';
      else fmt::format_to(std::back_inserter(cell), "{:.4g}", number);
    }
    for (const std::uint64_t count : {found.zeros, found.nan, infinities(found)})
      table.next() += std::to_string(count);
    if (!list.is_of_recording) continue;
    table.next() += std::to_string(one.record->step);
    table.next() += std::to_string(one.record->call);
  }
  return table;
}

void print_statistics(std::ostream& out, const TensorList& list) {
  if (list.tensors.empty()) return;
  detail::TextTable table = table_of(list);
  const bool is_on = is_coloured(stdout);
  std::string line;
  for (std::size_t i = 0; i < table.lines(); ++i) {
    line.clear();
    table.append_line(line, i);
    line += "  ";
    if (i == 0) {
      out << coloured(line + (list.is_of_recording ? "record" : "path"), Role::label, is_on)
          << '\n';
      continue;
    }
    const ListedTensor& one = list.tensors[i - 1];
    const bool is_bad = one.statistics->finite() != one.statistics->count;
    out << line << coloured(detail::printable(one.path), is_bad ? Role::fault : Role::plain, is_on);
    if (one.record && one.kept != "full") out << "  kept: " << detail::printable(one.kept);
    out << '\n';
  }
}

void print_statistics_as_json(std::ostream& out, const TensorList& list) {
  out << '[';
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    out << (i == 0 ? "{" : ",\n{");
    write_json_members(out, list.tensors[i]);
    out << '}';
  }
  out << "]\n";
}

void print_statistics(const StatsOptions& options) {
  TensorList list = list_tensors(open_input_or_recording(options.file));
  keep_matching(list, options.glob);
  if (list.tensors.empty() && list.notes.empty()) list.notes.emplace_back("no tensors");
  for (const std::string& line : list.notes) note(options.file + ": " + line);
  fill_statistics(list, options.file);
  sort_tensors(list.tensors, options.sort);
  Output out(stdout, "the standard output");
  if (options.json) print_statistics_as_json(out, list);
  else print_statistics(out, list);
  out.finish();
}

}  // namespace

void add_stats(CLI::App& app) {
  const auto options = std::make_shared<StatsOptions>();
  CLI::App* command =
      app.add_subcommand("stats", "Print statistics of the tensors of a file or recording");
  command
      ->add_option("FILE", options->file,
                   "The file, in any format that 'show' takes, or the folder of a recording")
      ->required();
  command->add_option("GLOB", options->glob,
                      "Only tensors whose path or record matches: * matches any text, ? one "
                      "character, [a-c] one of these characters");
  command
      ->add_option(
          "--sort", options->sort,
          "Sort by name, or by a number with the largest first; min puts the smallest first, "
          "nan counts NaN and infinities (default: the order of the structure, or of the "
          "calls)")
      ->transform(
          one_of("order", {"name", "size", "min", "max", "mean", "std", "norm", "zeros", "nan"}))
      ->option_text("name|size|min|max|mean|std|norm|zeros|nan");
  command->add_flag("--json", options->json,
                    "Print JSON, for programs: a list of objects, with all digits, histograms and "
                    "quantiles");
  command->footer(
      "Each line shows dtype and shape, then minimum, maximum, mean, standard deviation\n"
      "and L2 norm of the finite numbers, then how many numbers are zero, NaN and\n"
      "infinite, and the path; for a recording, step and call come before the name of\n"
      "the record. Statistics that a recorder kept in place of a tensor are shown\n"
      "unchanged.\n\n"
      "Examples:\n"
      "  safestructures stats model.safetensors\n"
      "  safestructures stats model.safetensors '*/weight' --sort norm | head\n"
      "  safestructures stats run --sort nan\n"
      "  safestructures stats run 'decoder.*' --json | jq 'map(.l2_norm) | max'");
  command->callback([options] { print_statistics(*options); });
}

}  // namespace safestructures::cli
