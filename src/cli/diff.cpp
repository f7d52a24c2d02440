#include <algorithm>
#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <safestructures/compare/compare.hpp>
#include <safestructures/compare/renames.hpp>
#include <safestructures/data/error.hpp>
#include "cli/compare_options.hpp"
#include "cli/console/choice.hpp"
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/diff_junit.hpp"

namespace safestructures::cli {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  CompareArguments compare;
  std::string saved_renames;
  std::string order = "worst";
  bool all = false;
  bool json = false;
  bool junit = false;
};

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

void print(const Comparison& found, const DiffOptions& given) {
  Output out(stdout, "the standard output");
  try {
    if (given.json) found.write_json(out);
    else if (given.junit) write_junit(out, found, given.a, given.b);
    else print_table(out, found, given);
  } catch (const Error& error) {
    // Code 1 would say that the two differ.
    throw CallError(error.what());
  }
  out.finish();
}

void diff(const DiffOptions& given) {
  if (given.json && given.junit) throw CallError("--json cannot be combined with --junit.");
  if (given.saved_renames == "-")
    throw CallError("--save-renames: the standard output is for the comparison: name a file.");
  require_no_input("--save-renames", given.saved_renames, given.a, given.b, given.compare);
  Comparison found;
  std::vector<RenameRule> renames;
  try {
    require_one_standard_input(given.a, given.b, given.compare);
    // Before files are opened: mistakes in the call are reported first.
    CompareOptions options = compare_options(given.compare);
    renames = options.renames;
    found = compare_inputs(given.a, given.b, std::move(options), given.compare.noise).found;
  } catch (const Error& error) {
    // It is unknown how the two compare.
    throw CallError(error.what());
  }
  if (!given.saved_renames.empty())
    write_output_file(given.saved_renames, [&](std::ostream& out) {
      out << format_renames(renames, found.suggestions);
    });
  print(found, given);
  if (!found.is_equal()) throw Reported();
}

}  // namespace

void add_diff(CLI::App& app) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "Compare two files or two recordings");
  command
      ->add_option(
          "A", options->a,
          "The file to compare, in any format that 'show' takes, or the folder of a recording")
      ->required();
  command->add_option("B", options->b, "The reference: the file or recording to compare A with")
      ->required();
  add_compare_options(*command, options->compare);
  command
      ->add_option(
          "--save-renames", options->saved_renames,
          "Write the rename rules in use and those that are suggested to a file, to be used "
          "with --renames after you have reviewed it")
      ->option_text("FILE");
  CLI::Option* order =
      command
          ->add_option(
              "--order", options->order,
              "Order of the table: the worst row first, of recordings one for each name, its worst "
              "call (worst, the default), or the order of the structure or of the calls (call)")
          ->transform(one_of("order", {"worst", "call"}))
          ->option_text("worst|call");
  command->add_flag("--all", options->all,
                    "Show all rows: also those that are equal, and every call");
  command->add_flag("--json", options->json, "Print JSON, for programs: everything that was found")
      ->excludes(order);
  command->add_flag("--junit", options->junit, "Print JUnit XML, for CI: a test case for each row")
      ->excludes(order);
  command->footer(
      "The exit code is 0 if everything is equal within the tolerances, 1 if something\n"
      "differs or nothing was compared, and 2 if the comparison failed.\n\n"
      "Examples:\n"
      "  safestructures diff cpp.safetensors python.safetensors\n"
      "  safestructures diff run-cpp run-python --order call\n"
      "  safestructures diff a.safetensors b.safetensors --tolerance '*/bias=0.01,1e-6'\n"
      "  safestructures diff a.npz b.safetensors --rename 'h.*.w=model.h.*.weight'\n"
      "  safestructures diff run-cpp run-python --renames names.txt --ignore '*.drop*'");
  command->callback([options] { diff(*options); });
}

}  // namespace safestructures::cli
