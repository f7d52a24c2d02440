#include "cli/chosen_value.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/data/error.hpp>
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "data/text/nearest_name.hpp"
#include "data/text/printable.hpp"
#include "recording/record_table.hpp"

namespace safestructures::cli {
namespace {

using recording::RecordTable;

/// The meaning of a path that begins with the name of a record.
struct RecordPath {
  std::uint32_t name = 0;  ///< Index in `RecordTable::names`.
  std::string_view rest;   ///< The path in the record's value.
};

/// Names may have slashes too, so the longest name wins.
std::optional<RecordPath> split(const RecordTable& table, std::string_view path) {
  for (std::size_t end = path.size(); end != std::string_view::npos && end != 0;
       end = path.rfind('/', end - 1))
    if (const auto name = table.place_of(path.substr(0, end)))
      return RecordPath{*name, path.substr(end)};
  return std::nullopt;
}

struct Chosen {
  std::vector<std::size_t> records;  ///< Their places.
  std::vector<std::int64_t> steps;
  std::vector<std::uint64_t> calls;
};

Chosen records_of(const RecordTable& table, std::uint32_t name, const ValueChoice& choice) {
  Chosen found;
  for (const RecordTable::Part& part : table.parts()) {
    const recording::ReadColumns& columns = part.segment->columns();
    for (std::size_t i = part.skipped; i < part.segment->size(); ++i) {
      if (part.names[columns.name[i]] != name) continue;
      if (choice.step && columns.step[i] != *choice.step) continue;
      if (choice.call && columns.call[i] != *choice.call) continue;
      found.records.push_back(part.begin + i - part.skipped);
      found.steps.push_back(columns.step[i]);
      found.calls.push_back(columns.call[i]);
    }
  }
  return found;
}

template <class Number>
std::string range_of(std::string_view noun, const std::vector<Number>& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  return range_text(noun, least, most);
}

/// Returns `10 records, steps 0 to 9, calls 0 to 9`.
std::string text_of(const Chosen& found) {
  return fmt::format("{}, {}, {}", detail::counted(found.records.size(), "record"),
                     range_of("step", found.steps), range_of("call", found.calls));
}

[[noreturn]] void refuse_name(const Input& input, const std::string& path) {
  note_missing(input);
  const std::vector<std::string>& names = input.recording->names();
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto nearest = detail::nearest_name(path, known);
  throw CallError(fmt::format("{}: there is no record '{}': {}", input.name, path,
                              known.empty() ? "the recording is empty."
                              : nearest     ? fmt::format("did you mean '{}'?", *nearest)
                                            : "it has " + detail::list_names(known) + "."));
}

const Record& chosen_record(const Input& input, std::uint32_t name, const ValueChoice& choice) {
  const RecordTable& table = RecordTable::of(*input.recording);
  const Chosen found = records_of(table, name, choice);
  if (found.records.size() == 1) return (*input.recording)[found.records.front()];
  const std::string& shown = table.names()[name];
  if (found.records.empty()) {
    note_missing(input);
    throw CallError(fmt::format("{}: no record of '{}' has that step or call: it has {}.",
                                input.name, shown, text_of(records_of(table, name, {}))));
  }
  // Two records of the same step are two calls; a call is one record.
  throw CallError(fmt::format("{}: '{}' has {}: choose one with --call{}.", input.name, shown,
                              text_of(found), choice.step ? "" : " or --step"));
}

Value value_in(const Input& input, const ValueChoice& choice) {
  const auto path = split(RecordTable::of(*input.recording), choice.path);
  if (!path) refuse_name(input, choice.path);
  const Record& record = chosen_record(input, path->name, choice);
  try {
    return path->rest.empty() ? record.value() : record.value().at(path->rest);
  } catch (const Error& error) {
    throw CallError(error.with_parent_path(record.name()).with_file(file_of(input, record)).what());
  }
}

Value value_in(const Document& document, const std::string& path) {
  try {
    return document.at(path).value();
  } catch (const Error& error) {
    const Value tensors = document.state_dict();
    const Value* const named = tensors.find(path);
    if (named == nullptr) throw CallError(error.what());
    return *named;
  }
}

}  // namespace

void add_record_options(CLI::App& command, ValueChoice& choice) {
  command.add_option("--step", choice.step, "For a recording: take the record of this step")
      ->option_text("N");
  command
      .add_option("--call", choice.call,
                  "For a recording: take the record of this call, as numbered by diff and stats")
      ->option_text("N");
}

Value chosen_value(const Input& input, const ValueChoice& choice) {
  if (input.recording) return value_in(input, choice);
  if (choice.step || choice.call)
    throw CallError(fmt::format("{} is for recordings: {} is a file.",
                                choice.step ? "--step" : "--call", input.name));
  return value_in(*input.document, choice.path);
}

}  // namespace safestructures::cli
