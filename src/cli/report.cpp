#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <safestructures/compare/compare.hpp>
#include "cli/compare_options.hpp"
#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/heat_map.hpp"
#include "cli/input.hpp"
#include "cli/packed_text.hpp"
#include "cli/report_page.hpp"
#include "cli/tensor_list.hpp"
#include "cli/tensor_list_json.hpp"
#include "compare/rows/row_store.hpp"
#include "compare/text/shown_rows.hpp"
#include "data/text/json_text.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

// The worst tensors have a heat map: each reads its tensors again and takes about 100 KiB.
constexpr std::size_t most_heat_maps = 12;
constexpr std::string_view data_mark = "@DATA@";

struct ReportOptions {
  std::string a;
  std::string b;
  std::string out;
  CompareArguments compare;
};

struct Side {
  std::string name;
  TensorList list;
};

void write_side(std::ostream& out, const Side& side) {
  out << fmt::format(R"({{"name": {}, "recording": {}, "notes": [)", json::quote(side.name),
                     side.list.is_of_recording);
  for (std::size_t i = 0; i < side.list.notes.size(); ++i)
    out << (i == 0 ? "" : ", ") << json::quote(side.list.notes[i]);
  out << R"(], "tensors": [)";
  for (std::size_t i = 0; i < side.list.tensors.size(); ++i) {
    out << (i == 0 ? "{" : ",\n{");
    write_json_members(out, side.list.tensors[i]);
    out << '}';
  }
  out << "]}";
}

/// Identifies a tensor by its path, step and call.
using Key = std::tuple<std::string_view, std::int64_t, std::uint64_t>;
using Tensors = std::map<Key, const Tensor*>;

/// \param path of the tensor, or of the record that holds it
Key key_of(const ListedTensor& one, std::string_view path) {
  return {path, one.record ? one.record->step : 0, one.record ? one.record->call : 0};
}

Tensors tensors_of(const TensorList& list) {
  Tensors tensors;
  for (const ListedTensor& one : list.tensors)
    if (one.tensor) tensors.try_emplace(key_of(one, one.path), &*one.tensor);
  return tensors;
}

/// Returns the key of a row's tensor in one of the two sides.
Key key_of(const ComparisonRow& row, bool is_of_b) {
  Key key(is_of_b && !row.other_path.empty() ? row.other_path : row.path, 0, 0);
  if (row.record) {
    std::get<1>(key) = row.record->step;
    std::get<2>(key) =
        is_of_b ? row.record->other_call.value_or(row.record->call) : row.record->call;
  }
  return key;
}

const Tensor* find(const Tensors& tensors, const ComparisonRow& row, bool is_of_b) {
  const auto found = tensors.find(key_of(row, is_of_b));
  return found == tensors.end() ? nullptr : found->second;
}

/// Returns rows whose numbers differ: the worst ones, and the first divergence. The worst comes
/// first.
std::vector<std::size_t> rows_to_map(const Comparison& found) {
  const auto has_map = [&](std::size_t place) {
    if (!is_difference(found.rows.verdict(place))) return false;
    const ComparisonRow& row = found.rows[place];
    return row.metrics && row.metrics->count != 0;
  };
  std::vector<std::size_t> rows;
  const auto worst = comparing::shown_rows(found, {.rows = found.rows.size()});
  for (const comparing::ShownRow& row : worst.rows)
    if (rows.size() < most_heat_maps && has_map(row.place)) rows.push_back(row.place);
  const std::optional<std::size_t> first =
      found.rows.empty() ? std::nullopt : comparing::RowStore::of(found.rows)->first_divergence();
  if (first && has_map(*first) && std::ranges::find(rows, *first) == rows.end())
    rows.push_back(*first);
  return rows;
}

/// The worst row, and heat maps of rows by their index.
struct HeatMaps {
  std::optional<std::size_t> worst;
  std::vector<std::pair<std::size_t, HeatMap>> maps;
};

HeatMaps heat_maps_of(const Comparison& found, const Side& a, const Side& b) {
  const Tensors left = tensors_of(a.list);
  const Tensors right = tensors_of(b.list);
  const std::vector<std::size_t> rows = rows_to_map(found);
  HeatMaps maps;
  if (!rows.empty()) maps.worst = rows.front();
  for (const std::size_t place : rows) {
    const ComparisonRow& row = found.rows[place];
    const Tensor* const one = find(left, row, false);
    const Tensor* const other = find(right, row, true);
    // It is a number in the structure.
    if (one == nullptr || other == nullptr || one->shape() != other->shape()) continue;
    maps.maps.emplace_back(place, heat_map(*one, *other));
  }
  return maps;
}

void write_heat_maps(std::ostream& out, const HeatMaps& maps) {
  out << R"("worst": )";
  if (maps.worst) out << *maps.worst;
  else out << "null";
  out << R"(, "heat_maps": [)";
  bool is_first = true;
  for (const auto& [place, map] : maps.maps) {
    out << (std::exchange(is_first, false) ? "" : ",\n")
        << fmt::format(R"({{"row": {}, "shape": [{}, {}], "rows": {}, "columns": {}, "cells": [)",
                       place, map.tensor_rows, map.tensor_columns, map.rows, map.columns);
    for (std::size_t i = 0; i < map.cells.size(); ++i)
      out << fmt::format("{}{:.3g}", i == 0 ? "" : ",", map.cells[i]);
    out << "]}";
  }
  out << ']';
}

Side side_of(const Input& input, const CompareOptions& options) {
  Side side{input.name, list_tensors(input)};
  const std::size_t all = side.list.tensors.size();
  for (std::string& unused : keep_matching(side.list, options.only, options.ignore))
    side.list.notes.push_back(std::move(unused));
  if (const std::size_t left = all - side.list.tensors.size(); left != 0)
    side.list.notes.push_back(detail::counted(left, "tensor") + " left out by the filter");
  fill_statistics(side.list, input.name);
  return side;
}

/// Keeps the tensors that have a row. The filter applies to both names of a renamed tensor, and
/// only the comparison knows the other one.
void keep_compared(TensorList& list, const Comparison& found, bool is_of_b) {
  const Verdict lone_there = is_of_b ? Verdict::only_a : Verdict::only_b;
  std::set<Key> compared;
  for (std::size_t place = 0; place < found.rows.size(); ++place) {
    const Verdict verdict = found.rows.verdict(place);
    // The members of such a container have rows of their own.
    if (verdict != lone_there && verdict != Verdict::size)
      compared.insert(key_of(found.rows[place], is_of_b));
  }
  std::erase_if(list.tensors, [&](const ListedTensor& one) {
    // A record without a counterpart has one row, whatever it holds.
    return !compared.contains(key_of(one, one.path)) &&
           !(one.record && compared.contains(key_of(one, one.record->name)));
  });
}

Side compared_side(const Input& input, const CompareOptions& options, const Comparison& found,
                   bool is_of_b) {
  Side side{input.name, list_tensors(input, Paths::compared)};
  side.list.notes.clear();  // The comparison has them.
  if (options.renames.empty()) keep_matching(side.list, options.only, options.ignore);
  else if (!options.only.empty() || !options.ignore.empty())
    keep_compared(side.list, found, is_of_b);
  fill_statistics(side.list, input.name);
  return side;
}

/// The second side, and its differences from the first.
struct Reference {
  Side side;
  Comparison comparison;
  HeatMaps heat_maps;
};

/// Everything a page shows, read before it is begun.
struct ReportData {
  Side a;
  std::optional<Reference> b;

  [[nodiscard]] std::size_t tensors() const {
    return a.list.tensors.size() + (b ? b->side.list.tensors.size() : 0);
  }
};

ReportData data_of(const ReportOptions& given) {
  const CompareOptions options = compare_options(given.compare);
  if (given.b.empty()) return {side_of(open_input_or_recording(given.a), options), {}};
  ComparedInputs compared = compare_inputs(given.a, given.b, options, given.compare.noise);
  const auto& [a, b, found] = compared;
  Side left = compared_side(a, options, found, false);
  Side right = compared_side(b, options, found, true);
  HeatMaps maps = heat_maps_of(found, left, right);
  return {std::move(left), Reference{std::move(right), std::move(compared.found), std::move(maps)}};
}

void write_json(std::ostream& out, const ReportData& data) {
  out << R"({"a": )";
  write_side(out, data.a);
  if (!data.b) {
    out << R"(, "b": null, "comparison": null, "worst": null, "heat_maps": []})";
    return;
  }
  out << R"(, "b": )";
  write_side(out, data.b->side);
  out << R"(, "comparison": )";
  data.b->comparison.write_json(out);
  out << ", ";
  write_heat_maps(out, data.b->heat_maps);
  out << '}';
}

void write_report(const ReportOptions& given) {
  require_one_standard_input(given.a, given.b, given.compare);
  require_no_input("-o", given.out, given.a, given.b, given.compare);
  const ReportData data = data_of(given);
  const std::size_t mark = report_page.find(data_mark);
  write_output_file(given.out, [&](std::ostream& out) {
    out << report_page.substr(0, mark);
    write_packed(out, [&](std::ostream& json) { write_json(json, data); });
    out << report_page.substr(mark + data_mark.size());
  });
  if (given.out == "-") return;
  Output out(stdout, "the standard output");
  std::string name;
  detail::append_printable(name, given.out);
  out << name << ": written, " << detail::counted(data.tensors(), "tensor") << '\n';
  out.finish();
}

}  // namespace

void add_report(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Write an HTML page that shows one input or compares two");
  command
      ->add_option("A", options->a,
                   "The file, in any format that 'show' takes, or the folder of a recording")
      ->required();
  CLI::Option* b =
      command
          ->add_option("B", options->b,
                       "The reference, if two are to be compared: a file or recording like A")
          ->check(not_empty());
  command
      ->add_option("-o,--output", options->out, "The HTML page to write; - is the standard output")
      ->required()
      ->option_text("FILE");
  add_compare_options(*command, options->compare);
  // For a single input there is something to filter, but nothing to compare.
  for (const char* comparing :
       {"--rtol", "--atol", "--tolerance", "--rename", "--renames", "--noise", "--dtypes"})
    command->get_option(comparing)->needs(b);
  command->footer(
      "The page shows statistics and a histogram of each tensor. With B, it also shows\n"
      "what 'diff' finds: where the differences begin, which layers make an error, the\n"
      "curve of the errors, and heat maps of the worst tensors; without B, only the\n"
      "options --only and --ignore apply. The page needs no network. The exit code does\n"
      "not say whether A and B are equal.\n\n"
      "Examples:\n"
      "  safestructures report model.safetensors -o model.html\n"
      "  safestructures report run-cpp run-python --noise run-exact -o report.html\n"
      "  safestructures report run-cpp run-python --only 'decoder.*' -o decoder.html");
  command->callback([options] { write_report(*options); });
}

}  // namespace safestructures::cli
