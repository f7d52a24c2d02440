#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/recording/recording.hpp>
#include "cli/choice.hpp"
#include "cli/colour.hpp"
#include "cli/command.hpp"
#include "cli/diff_junit.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"

namespace safestructures::cli {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  std::string rtol;
  std::string atol;
  std::vector<std::string> tolerances;
  std::vector<std::string> renames;
  std::vector<std::string> only;
  std::string order = "worst";
  bool exact_dtypes = false;
  bool all = false;
  bool json = false;
  bool junit = false;
};

/// A number from 0 on. CLI11 would read it by the locale.
double tolerance_from(const std::string& option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value < HUGE_VAL)
    return value;
  throw CallError(fmt::format("{}: '{}' is no number from 0 on.", option, text));
}

ToleranceRule tolerance_rule(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::size_t comma = text.find(',', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || comma == std::string::npos)
    throw CallError("--tolerance: '" + text + "' is not of the form GLOB=RTOL,ATOL.");
  const std::string_view view = text;
  return {text.substr(0, equals),
          {tolerance_from("--tolerance", view.substr(equals + 1, comma - equals - 1)),
           tolerance_from("--tolerance", view.substr(comma + 1))}};
}

RenameRule rename_rule(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw CallError("--rename: '" + text + "' is not of the form A=B.");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The recording in a folder; nothing where it holds none.
std::optional<Recording> open_recording(const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(name, ignored)) return std::nullopt;
  Recording recording(name, {.access = Access::read});
  if (recording.empty() && !recording.is_closed()) return std::nullopt;
  return recording;
}

Document open_side(const std::string& name) {
  const std::shared_ptr<const Source> source = open_source(name);
  // Read, not mapped: a tensor that is compared is not kept.
  return Document::open(source, {.format = format_of(*source), .access = Access::read});
}

Comparison compare_inputs(const DiffOptions& given, CompareOptions options) {
  std::optional<Progress> progress;
  options.progress = [&](std::uint64_t more, std::uint64_t all) {
    if (!progress) progress.emplace("comparing " + given.a + " and " + given.b, all);
    progress->add(more);
  };
  if (given.a == "-" && given.b == "-")
    throw CallError("only one of the two can be the standard input.");
  const std::optional<Recording> recording_a = open_recording(given.a);
  const std::optional<Recording> recording_b = open_recording(given.b);
  if (recording_a.has_value() != recording_b.has_value())
    throw CallError(
        "a file cannot be compared with a recording: " + (recording_a ? given.a : given.b) +
        " is a recording, " + (recording_a ? given.b : given.a) + " is not.");
  if (recording_a) return compare(*recording_a, *recording_b, options);
  return compare(open_side(given.a), open_side(given.b), options);
}

Role role_of(std::string_view line) {
  const auto begins = [&](Verdict verdict) { return line.starts_with(to_string(verdict)); };
  if (line.starts_with("verdict ")) return Role::label;
  if (line.starts_with("equal within") || begins(Verdict::equal) || begins(Verdict::close))
    return Role::good;
  if (begins(Verdict::nothing) || line.starts_with("note:") || line.starts_with("maybe"))
    return Role::note;
  for (const Verdict verdict : {Verdict::different, Verdict::value, Verdict::dtype, Verdict::shape,
                                Verdict::size, Verdict::kind, Verdict::only_a, Verdict::only_b})
    if (begins(verdict)) return Role::fault;
  return line.starts_with("not equal") ? Role::fault : Role::plain;
}

/// Colours the first words of each line, which say what it is.
void print_table(std::ostream& out, const Comparison& found, const DiffOptions& given) {
  std::ostringstream text;
  found.write_text(
      text, {.order = given.order == "call" ? RowOrder::call : RowOrder::worst, .all = given.all});
  const bool is_on = is_coloured(stdout);
  const std::string whole = text.str();
  for (std::string_view rest = whole; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const Role role = role_of(line);
    const std::size_t words =
        role == Role::label ? line.size() : std::min(line.find(':'), line.find("  "));
    const std::size_t end = std::min(words, line.size());
    out << coloured(line.substr(0, end), role, is_on) << line.substr(end) << '\n';
    rest.remove_prefix(line.size() + 1);
  }
}

void diff(const DiffOptions& given) {
  if (given.json && given.junit) throw CallError("--json and --junit exclude each other.");
  CompareOptions options;
  options.exact_dtypes = given.exact_dtypes;
  options.only = given.only;
  if (!given.rtol.empty()) options.rtol = tolerance_from("--rtol", given.rtol);
  if (!given.atol.empty()) options.atol = tolerance_from("--atol", given.atol);
  for (const std::string& text : given.tolerances)
    options.tolerances.push_back(tolerance_rule(text));
  for (const std::string& text : given.renames) options.renames.push_back(rename_rule(text));
  Comparison found;
  try {
    found = compare_inputs(given, options);
  } catch (const Error& error) {
    // Nothing is known of how the two compare.
    throw CallError(error.what());
  }
  Output out(stdout, "the standard output");
  if (given.json) found.write_json(out);
  else if (given.junit) write_junit(out, found, given.a, given.b);
  else print_table(out, found, given);
  out.finish();
  if (!found.is_equal()) throw Reported();
}

}  // namespace

void add_diff(CLI::App& app) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "Compare two files, or two recordings");
  command
      ->add_option("A", options->a,
                   "A file as the other commands take it, or the folder of a\nrecording")
      ->required();
  command->add_option("B", options->b, "The reference: the same of another run")->required();
  command
      ->add_option("--rtol", options->rtol,
                   "Numbers are near enough when |a - b| <= ATOL + RTOL * |b|;\nin place of what "
                   "the dtype says")
      ->option_text("NUMBER");
  command->add_option("--atol", options->atol, "See --rtol")->option_text("NUMBER");
  command
      ->add_option("--tolerance", options->tolerances,
                   "The tolerance of the paths that match; may be given again, the\nfirst that "
                   "matches decides")
      ->option_text("GLOB=RTOL,ATOL")
      ->allow_extra_args(false);
  command
      ->add_option("--rename", options->renames,
                   "What is A in the first is B in the second: paths, or names with\ndots; each * "
                   "is kept; may be given again")
      ->option_text("A=B")
      ->allow_extra_args(false);
  command
      ->add_option("--only", options->only,
                   "Only paths or records that match: * is any text, ? a character,\n[a-c] one "
                   "of these; may be given again")
      ->option_text("GLOB")
      ->allow_extra_args(false);
  command
      ->add_option("--order", options->order,
                   "What is worst first (the default), or the order of the calls")
      ->transform(one_of("order", {"worst", "call"}))
      ->option_text("worst|call");
  command->add_flag("--dtypes", options->exact_dtypes,
                    "Tensors of different dtypes differ, whatever their numbers");
  command->add_flag("--all", options->all, "Show all rows, those that are equal too");
  command->add_flag("--json", options->json, "For programs: everything that was found");
  command->add_flag("--junit", options->junit, "For CI: a test case for each row, as JUnit's XML");
  command->footer(
      "The exit code is 0 when all is equal within the tolerances, 1 when something differs or\n"
      "nothing was compared, and 2 when the comparison failed.\n\n"
      "Examples:\n"
      "  safestructures diff cpp.safetensors python.safetensors\n"
      "  safestructures diff run-cpp run-python --order call\n"
      "  safestructures diff a.safetensors b.safetensors --tolerance '*/bias=0.01,1e-6'\n"
      "  safestructures diff a.npz b.safetensors --rename 'layers.*.w=model.layers.*.weight'");
  command->callback([options] { diff(*options); });
}

}  // namespace safestructures::cli
