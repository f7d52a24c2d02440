#include "cli/diff_junit.hpp"

#include <cstddef>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "cli/console/output.hpp"
#include "compare/rows/row_store.hpp"
#include "compare/text/text.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

/// Escapes the text of an attribute or an element. XML cannot spell most control characters, so
/// they are first escaped as for a terminal.
std::string escaped(std::string_view text) {
  std::string shown;
  detail::append_printable(shown, text);
  std::string xml;
  for (std::string_view rest = shown; !rest.empty();) {
    const detail::CodePoint code = detail::first_code_point(rest);
    // U+FFFE and U+FFFF are not characters of XML.
    if (code.value == 0xfffe || code.value == 0xffff) xml += fmt::format("\\u{:04x}", code.value);
    else if (code.value < 0x7f && std::string_view("&<>\"'").find(static_cast<char>(code.value)) ==
                                      std::string_view::npos)
      xml += static_cast<char>(code.value);
    else xml += fmt::format("&#{};", code.value);
    rest.remove_prefix(code.size);
  }
  return xml;
}

std::string message(const ComparisonRow& row) {
  std::string text(to_string(row.verdict));
  if (row.metrics) {
    text += fmt::format(": {} of {} numbers beyond rtol {} and atol {}, max absolute {:.3g}",
                        row.metrics->beyond, row.metrics->count, row.metrics->tolerance.rtol,
                        row.metrics->tolerance.atol, row.metrics->max_absolute);
    if (row.metrics->worst) text += fmt::format(", worst at element {}", row.metrics->worst->index);
  }
  if (row.noise && row.noise->excess)
    text += fmt::format(", {:.3g} times the noise of {}", *row.noise->excess,
                        detail::counted(row.noise->runs, "run"));
  if (!row.detail.empty()) text += ": " + row.detail;
  for (const Suspicion& suspicion : row.suspicions)
    text += fmt::format("; suspicion: {}: {}", suspicion.fault, suspicion.evidence);
  return text;
}

}  // namespace

void write_junit(std::ostream& out, const Comparison& found, std::string_view a,
                 std::string_view b) {
  std::size_t skipped = 0;
  detail::PathText printed;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    comparing::add_names(found, i, printed);
    if (found.rows.verdict(i) == Verdict::nothing) ++skipped;
  }
  const bool is_vacuous = !found.is_equal() && found.differences() == 0;
  const std::string suite = escaped(std::string(a) + " and " + std::string(b));
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      << fmt::format(
             "<testsuite name=\"safestructures diff: {}\" tests=\"{}\" failures=\"{}\" "
             "skipped=\"{}\">\n",
             suite, found.rows.size() + 1, found.differences() + (is_vacuous ? 1 : 0), skipped);
  out << "  <properties>\n";
  for (const auto& [name, count] : comparing::counts_of(found.coverage))
    out << fmt::format("    <property name=\"coverage.{}\" value=\"{}\"/>\n", name, count);
  out << "  </properties>\n";
  out << fmt::format("  <testcase classname=\"diff\" name=\"coverage: {}, {}\"",
                     detail::counted(found.coverage.tensors, "tensor"),
                     detail::counted(found.coverage.values, "other value"));
  out << (is_vacuous ? "><failure message=\"nothing was compared\"/></testcase>\n" : "/>\n");
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    // A copy: `found` would keep every row that is looked at.
    const ComparisonRow row = comparing::RowStore::of(found.rows)->row(i);
    std::string name = row.path;
    if (row.record)
      name = fmt::format("step {} call {} {}", row.record->step, row.record->call, name);
    out << "  <testcase classname=\"diff\" name=\"" << escaped(name) << '"';
    if (is_difference(row.verdict))
      out << "><failure message=\"" << escaped(message(row)) << "\"/></testcase>\n";
    else if (row.verdict == Verdict::nothing)
      out << "><skipped message=\"" << escaped(message(row)) << "\"/></testcase>\n";
    else out << "/>\n";
  }
  out << "  <system-out>";
  for (const std::string& line : comparing::closing_lines(found)) out << escaped(line) << '\n';
  out << "</system-out>\n</testsuite>\n";
}

}  // namespace safestructures::cli
