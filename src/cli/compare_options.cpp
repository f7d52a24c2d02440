#include "cli/compare_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/compare/renames.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/console/progress.hpp"
#include "cli/input.hpp"
#include "compare/pairing/opening.hpp"
#include "platform/crew.hpp"

namespace safestructures::cli {
namespace {

/// Parses a number of at least 0. CLI11 would read it by the locale.
double tolerance_from(const std::string& option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value < HUGE_VAL)
    return value;
  throw CallError(fmt::format("{}: expected a number, 0 or larger, found '{}'.", option, text));
}

DType dtype_from(const std::string& option, std::string text) {
  // The validator replaces the text by the dtype's name.
  if (const std::string problem = known_dtype()(text); !problem.empty())
    throw CallError(option + ": " + problem + ".");
  return parse_dtype(text).value();
}

ToleranceRule tolerance_rule(const std::string& text) {
  constexpr std::string_view dtype_follows = "dtype:";
  const std::size_t equals = text.rfind('=');
  const std::size_t comma = text.find(',', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || comma == std::string::npos)
    throw CallError("--tolerance: '" + text +
                    "' is not of the form GLOB=RTOL,ATOL or dtype:DTYPE=RTOL,ATOL.");
  const std::string_view view = text;
  ToleranceRule rule{text.substr(0, equals),
                     {tolerance_from("--tolerance", view.substr(equals + 1, comma - equals - 1)),
                      tolerance_from("--tolerance", view.substr(comma + 1))}};
  if (rule.paths.starts_with(dtype_follows)) {
    rule.dtype = dtype_from("--tolerance", rule.paths.substr(dtype_follows.size()));
    rule.paths = "*";
  }
  return rule;
}

RenameRule rename_rule(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw CallError("--rename: '" + text + "' is not of the form A=B.");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<RenameRule> rename_rules_of(const std::string& file) {
  // A folder is not a file of rules, whatever it holds.
  const std::shared_ptr<const Source> source = file == "-" ? open_source(file) : Source::open(file);
  // Enough for 100,000 rules, while a model named by mistake is not read into memory.
  constexpr std::uint64_t most = std::uint64_t{16} << 20U;
  if (source->size() > most)
    throw Error(ErrorCode::limit_exceeded, "the file of rename rules is too large",
                {.file = source->name(),
                 .expected = "at most " + std::to_string(most) + " bytes",
                 .found = std::to_string(source->size())});
  std::string text(static_cast<std::size_t>(source->size()), ' ');
  source->read(0, std::as_writable_bytes(std::span(text)));
  return parse_renames(text, source->name());
}

}  // namespace

CompareOptions compare_options(const CompareArguments& given) {
  CompareOptions options;
  options.exact_dtypes = given.exact_dtypes;
  options.only = given.only;
  options.ignore = given.ignored;
  if (!given.rtol.empty()) options.rtol = tolerance_from("--rtol", given.rtol);
  if (!given.atol.empty()) options.atol = tolerance_from("--atol", given.atol);
  for (const std::string& text : given.tolerances)
    options.tolerances.push_back(tolerance_rule(text));
  for (const std::string& text : given.renames) options.renames.push_back(rename_rule(text));
  for (const std::string& file : given.rename_files)
    std::ranges::move(rename_rules_of(file), std::back_inserter(options.renames));
  return options;
}

void require_one_standard_input(const std::string& a, const std::string& b,
                                const CompareArguments& given) {
  if (std::ranges::count(given.noise, "-") + std::ranges::count(given.rename_files, "-") +
          (a == "-") + (b == "-") >
      1)
    throw CallError("only one of the inputs can be the standard input.");
}

void require_no_input(std::string_view option, const std::string& output, const std::string& a,
                      const std::string& b, const CompareArguments& given) {
  std::vector<std::string> inputs{a, b};
  inputs.insert(inputs.end(), given.noise.begin(), given.noise.end());
  inputs.insert(inputs.end(), given.rename_files.begin(), given.rename_files.end());
  require_no_input(option, output, inputs);
}

ComparedInputs compare_inputs(const std::string& a_name, const std::string& b_name,
                              CompareOptions options, const std::vector<std::string>& noise) {
  platform::CrewScope crew;
  std::vector<std::filesystem::path> paths{a_name, b_name};
  paths.insert(paths.end(), noise.begin(), noise.end());
  std::vector<Input> inputs(paths.size());
  comparing::open_at_once(
      paths, [&](std::size_t i) { inputs[i] = open_input_or_recording(paths[i].string()); });
  ComparedInputs compared{std::move(inputs[0]), std::move(inputs[1]), {}};
  const Input& a = compared.a;
  const Input& b = compared.b;
  if (a.recording.has_value() != b.recording.has_value())
    throw CallError(
        "a file cannot be compared with a recording: " + (a.recording ? a.name : b.name) +
        " is a recording, " + (a.recording ? b.name : a.name) + " is not.");
  for (Input& run : std::span(inputs).subspan(2)) {
    if (run.recording.has_value() != a.recording.has_value())
      throw CallError("--noise: " + run.name + " is " + (a.recording ? "not " : "") +
                      "a recording, but " + a.name + " is" + (a.recording ? "." : " not."));
    if (run.recording)
      options.noise.emplace_back(std::make_shared<const Recording>(std::move(*run.recording)));
    else options.noise.emplace_back(std::make_shared<const Document>(std::move(*run.document)));
  }
  std::optional<Progress> progress;
  // Counting for it takes a tenth of the time of comparing many small records.
  if (is_terminal(stderr))
    options.progress = [&](std::uint64_t more, std::uint64_t all) {
      if (!progress) progress.emplace("comparing " + a.name + " and " + b.name, all);
      progress->add(more);
    };
  compared.found = a.recording ? compare(*a.recording, *b.recording, options)
                               : compare(*a.document, *b.document, options);
  // Lets its threads end in the background.
  crew.dismiss();
  return compared;
}

void add_compare_options(CLI::App& command, CompareArguments& given) {
  command
      .add_option("--rtol", given.rtol,
                  "Relative tolerance: numbers are close enough if |a - b| <= ATOL + RTOL * |b| "
                  "(default: depends on the dtype)")
      ->option_text("NUMBER");
  command
      .add_option("--atol", given.atol,
                  "Absolute tolerance, see --rtol (default: depends on the dtype)")
      ->option_text("NUMBER");
  command
      .add_option(
          "--tolerance", given.tolerances,
          "Tolerance for the paths that match, or for a dtype, as in dtype:F16=RTOL,ATOL; can "
          "be repeated, the first that matches decides")
      ->option_text("GLOB=RTOL,ATOL")
      ->allow_extra_args(false);
  command
      .add_option("--rename", given.renames,
                  "Pair the path or dotted name A of the first with B of the second; each * is "
                  "the same text in both; can be repeated")
      ->option_text("A=B")
      ->allow_extra_args(false);
  command
      .add_option("--renames", given.rename_files,
                  "Read rules like those of --rename from a file, one per line, as written by diff "
                  "--save-renames; can be repeated")
      ->option_text("FILE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--only", given.only,
          "Use only the paths or records that match: * matches any text, ? one character, [a-c] "
          "one of these characters; can be repeated")
      ->option_text("GLOB")
      ->allow_extra_args(false);
  command
      .add_option(
          "--ignore", given.ignored,
          "Leave out the paths or records that match, even if selected by --only; a dict or list "
          "may then differ by as many members; can be repeated")
      ->option_text("GLOB")
      ->allow_extra_args(false);
  command
      .add_option("--noise", given.noise,
                  "A further run of A or B, or one in higher precision: differences within the "
                  "noise that it shows are not errors; can be repeated")
      ->option_text("RUN")
      ->allow_extra_args(false);
  command.add_flag("--dtypes", given.exact_dtypes,
                   "Treat tensors of different dtypes as different, whatever their numbers");
}

}  // namespace safestructures::cli
