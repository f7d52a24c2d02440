#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/rows/row_store.hpp"
#include "compare/text/shown_rows.hpp"
#include "compare/text/text.hpp"
#include "data/text/printable.hpp"
#include "data/text/short_number.hpp"
#include "data/text/text_table.hpp"

namespace safestructures::inline v0 {

namespace comparing {
namespace {

using detail::TextTable;

constexpr std::size_t plain_columns = 7;

TextTable table_of(const Comparison& comparison, const ShownRows& shown) {
  using Align = TextTable::Align;
  std::vector<Align> columns(plain_columns + std::size_t{comparison.has_noise} +
                                 std::size_t{comparison.is_of_recordings} +
                                 std::size_t{shown.have_calls},
                             Align::right);
  columns.front() = Align::left;
  columns.push_back(Align::none);
  TextTable table(std::move(columns));
  for (const std::string_view title :
       {"verdict", "max abs", "max rel", "rel L2", "SNR dB", "ULP", "beyond"})
    table.next() += title;
  if (comparison.has_noise) table.next() += "noise";
  if (comparison.is_of_recordings) table.next() += "out/in";
  if (shown.have_calls) table.next() += "calls";
  table.next() += comparison.is_of_recordings ? "record" : "path";
  return table;
}

void append_part(std::string& cell, std::uint64_t part, std::uint64_t all) {
  append_count(cell, part);
  cell += '/';
  append_count(cell, all);
}

void append_snr(std::string& cell, const TensorMetrics& found) {
  switch (found.snr_state) {
    case SnrState::number: detail::append_tenths(cell, found.snr); return;
    // If only infinities differ, no compared number does.
    case SnrState::exact: cell += found.is_exact() ? "exact" : "-"; return;
    case SnrState::zero_reference: cell += "zero ref"; return;
    case SnrState::nothing: cell += '-'; return;
  }
}

void append_ulp(std::string& cell, const TensorMetrics& found) {
  if (!found.ulp) cell += '-';
  else if (found.ulp->max > found.ulp->binade) cell += ">binade";
  else append_count(cell, found.ulp->max);
}

void append_optional(std::string& cell, const std::optional<double>& number) {
  if (number) append_short(cell, *number);
  else cell += '-';
}

void add_metrics(TextTable& table, const TensorMetrics& found) {
  append_short(table.next(), found.max_absolute);
  append_optional(table.next(), found.max_relative);
  append_optional(table.next(), found.relative_l2);
  append_snr(table.next(), found);
  append_ulp(table.next(), found);
  append_part(table.next(), found.beyond, found.count);
}

/// Adds what statistics tell: estimates, marked with `~`.
void add_estimates(TextTable& table, const StatisticsMetrics& found) {
  const bool is_exact = found.has_same_hash.value_or(false);
  for (int i = 0; i < 2; ++i) table.next() += '-';
  std::string& error = table.next();
  if (is_exact) {
    error += '0';
  } else if (found.relative_l2) {
    error += '~';
    append_short(error, *found.relative_l2);
  } else {
    error += '-';
  }
  std::string& snr = table.next();
  if (is_exact) {
    snr += "exact";
  } else if (found.relative_l2 && *found.relative_l2 > 0) {
    snr += '~';
    detail::append_tenths(snr, -20 * std::log10(*found.relative_l2));
  } else {
    snr += '-';
  }
  for (int i = 0; i < 2; ++i) table.next() += '-';
}

/// Appends how many times larger it is than noise explains.
void append_noise(std::string& cell, const Boxed<NoiseFloor>& noise) {
  if (!noise) cell += '-';
  else if (!noise->excess) cell += "no noise";
  else fmt::format_to(std::back_inserter(cell), "{:.2g}x", *noise->excess);
}

void append_growth(std::string& cell, const ComparisonRow& row) {
  if (row.origin && row.origin->amplification) {
    append_short(cell, *row.origin->amplification);
    if (row.makes_error) cell += " new";
  } else {
    cell += row.makes_error ? "new" : "-";
  }
}

void append_non_finite(std::string& text, const NonFiniteCounts& found) {
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    text += "; ";
    append_count(text, count);
    text += ' ';
    text += what;
  };
  add(found.nan_both, "NaN in both");
  add(found.nan_only_a, "NaN in a only");
  add(found.nan_only_b, "NaN in b only");
  add(found.infinity_both, "infinite in both");
  add(found.infinity_only_a, "infinite in a only");
  add(found.infinity_only_b, "infinite in b only");
  add(found.infinity_signs, "infinite of different signs");
}

/// \returns the text after the numbers, not escaped
std::string_view detail_text(const ComparisonRow& row, std::string& text, std::string& more) {
  text.clear();
  more.clear();
  if (row.record) {
    append_step(text += "step ", row.record->step);
    append_count(text += " call ", row.record->call);
    text += "  ";
  }
  text += row.path;
  if (!row.other_path.empty()) ((text += " (in b ") += row.other_path) += ')';
  if (row.metrics && row.verdict == Verdict::different && row.metrics->worst) {
    more += "; ";
    append_worst(more, row);
  }
  if (row.metrics) append_non_finite(more, row.metrics->non_finite);
  if (!row.detail.empty()) (more += "; ") += row.detail;
  if (row.record && row.record->match != RecordMatch::call)
    (more += "; paired by its ") += to_string(row.record->match);
  if (!more.empty()) text.append("  ").append(more, 2);
  return text;
}

}  // namespace
}  // namespace comparing

void Comparison::write_text(std::ostream& out, const TableOptions& options) const {
  using namespace comparing;
  const ShownRows shown = shown_rows(*this, options);
  detail::PathText printed;
  for (const ShownRow& one : shown.rows) add_names(*this, one.place, printed);
  TextTable table = table_of(*this, shown);
  std::string text;
  std::string more;
  for (const ShownRow& one : shown.rows) {
    const ComparisonRow row = RowStore::of(rows)->row(one.place);
    table.next() += to_string(row.verdict);
    if (row.statistics) add_estimates(table, *row.statistics);
    else if (row.metrics) add_metrics(table, *row.metrics);
    else
      for (std::size_t i = 1; i < plain_columns; ++i) table.next() += '-';
    if (has_noise) append_noise(table.next(), row.noise);
    if (is_of_recordings) append_growth(table.next(), row);
    if (shown.have_calls) append_part(table.next(), one.different, one.calls);
    detail::append_printable(table.next(), detail_text(row, text, more));
  }
  text.clear();
  for (std::size_t i = 0; table.lines() > 1 && i < table.lines(); ++i) {
    table.append_line(text, i);
    text += '\n';
  }
  out << text;
  if (shown.hidden != 0) out << "... " << detail::counted(shown.hidden, "row") << " more\n";
  if (shown.equal != 0) out << detail::counted(shown.equal, "equal tensor") << " not shown\n";
  for (const std::string& line : closing_lines(*this)) out << line << '\n';
}

}  // namespace safestructures::inline v0
