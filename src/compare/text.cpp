#include "compare/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/number.hpp"
#include "data/printable.hpp"

namespace safestructures::inline v0 {

namespace comparing {
namespace {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string printable(std::string_view text) {
  std::string shown;
  detail::append_printable(shown, text);
  return shown;
}

/// An element; of what a float holds, the digits that tell it from other floats.
std::string element_text(const Value& value, bool is_short) {
  if (value.kind() != Kind::floating) return detail::python_str(value);
  const double number = value.as_double();
  const auto narrow = static_cast<float>(number);
  if (is_short && static_cast<double>(narrow) == number) return fmt::format("{}", narrow);
  return fmt::format("{}", number);
}

std::string elements_text(const WorstElement& worst) {
  std::string a = element_text(worst.a, true);
  std::string b = element_text(worst.b, true);
  // A float beside a double may need more.
  if (a == b) {
    a = element_text(worst.a, false);
    b = element_text(worst.b, false);
  }
  return a + " and " + b;
}

/// What ranks a row: the furthest beyond its tolerance last.
double badness(const ComparisonRow& row) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  if (!row.metrics) return is_difference(row.verdict) ? endless : -1;
  if (row.metrics->max_ratio) {
    const NonFiniteCounts& other = row.metrics->non_finite;
    if (other.nan_only_a + other.nan_only_b + other.infinity_only_a + other.infinity_only_b +
            other.infinity_signs !=
        0)
      return endless;
    return *row.metrics->max_ratio;
  }
  return endless;
}

using Cells = std::vector<std::string>;

const Cells titles = {"verdict", "max abs", "max rel", "rel L2", "SNR dB", "ULP", "beyond"};

std::string snr_text(const TensorMetrics& found) {
  switch (found.snr_state) {
    case SnrState::number: return fmt::format("{:.1f}", found.snr);
    case SnrState::exact: return "exact";
    case SnrState::zero_reference: return "zero ref";
    case SnrState::nothing: break;
  }
  return "-";
}

std::string ulp_text(const TensorMetrics& found) {
  if (!found.ulp) return "-";
  return found.ulp->max > found.ulp->binade ? ">binade" : std::to_string(found.ulp->max);
}

Cells cells_of(const ComparisonRow& row, bool with_growth) {
  Cells cells(titles.size() + (with_growth ? 1 : 0), "-");
  cells[0] = to_string(row.verdict);
  if (row.metrics) {
    const TensorMetrics& found = *row.metrics;
    cells[1] = short_number(found.max_absolute);
    if (found.max_relative) cells[2] = short_number(*found.max_relative);
    if (found.relative_l2) cells[3] = short_number(*found.relative_l2);
    cells[4] = snr_text(found);
    cells[5] = ulp_text(found);
    cells[6] = fmt::format("{}/{}", found.beyond, found.count);
  }
  if (with_growth && row.growth)
    cells.back() = short_number(*row.growth) + (row.makes_error ? " new" : "");
  else if (with_growth && row.makes_error) cells.back() = "new";
  return cells;
}

std::string non_finite_text(const NonFiniteCounts& found) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) text += fmt::format("; {} {}", count, what);
  };
  add(found.nan_both, "NaN in both");
  add(found.nan_only_a, "NaN in a only");
  add(found.nan_only_b, "NaN in b only");
  add(found.infinity_both, "infinite in both");
  add(found.infinity_only_a, "infinite in a only");
  add(found.infinity_only_b, "infinite in b only");
  add(found.infinity_signs, "infinite of different signs");
  return text;
}

std::string detail_text(const ComparisonRow& row) {
  std::string text = row.record
                         ? fmt::format("step {} call {}  ", row.record->step, row.record->call)
                         : std::string();
  text += row.path;
  if (!row.other_path.empty()) text += " (in b " + row.other_path + ")";
  std::string more;
  if (row.metrics && row.verdict == Verdict::different) {
    const auto& worst = row.metrics->worst;
    if (worst) more += "; worst at " + index_text(row) + ": " + elements_text(*worst);
  }
  if (row.metrics) more += non_finite_text(row.metrics->non_finite);
  if (!row.detail.empty()) more += "; " + row.detail;
  return more.empty() ? text : text + "  " + more.substr(2);
}

}  // namespace

std::string short_number(double number) {
  return number == 0 ? "0" : fmt::format("{:.2e}", number);
}

std::string index_text(const ComparisonRow& row) {
  if (!row.metrics || !row.metrics->worst) return {};
  std::uint64_t rest = row.metrics->worst->index;
  std::vector<std::uint64_t> index(row.shape.size());
  for (std::size_t i = index.size(); i-- > 0;) {
    index[i] = rest % row.shape[i];
    rest /= row.shape[i];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

std::string place_text(const ComparisonRow& row) {
  std::string text;
  if (row.record) text = fmt::format("step {}, call {} of ", row.record->step, row.record->call);
  text += row.path;
  if (row.metrics && row.metrics->worst)
    text += ", worst at " + index_text(row) + ": " + elements_text(*row.metrics->worst);
  else if (!row.detail.empty()) text += ": " + row.detail;
  return text;
}

std::vector<const ComparisonRow*> sorted_rows(const Comparison& comparison, RowOrder order) {
  std::vector<const ComparisonRow*> rows;
  rows.reserve(comparison.rows.size());
  for (const ComparisonRow& row : comparison.rows) rows.push_back(&row);
  if (order == RowOrder::worst)
    std::ranges::stable_sort(rows, [](const ComparisonRow* one, const ComparisonRow* other) {
      return badness(*one) > badness(*other);
    });
  return rows;
}

}  // namespace comparing

std::string_view to_string(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 11> names = {"equal", "close",     "nothing",  "different",
                                                      "value", "dtype",     "shape",    "size",
                                                      "kind",  "only in a", "only in b"};
  return names[static_cast<std::size_t>(verdict)];
}

bool Comparison::is_equal() const noexcept {
  return differences() == 0 && coverage.tensors + coverage.values > coverage.nothing;
}

std::size_t Comparison::differences() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows, [](const ComparisonRow& row) { return is_difference(row.verdict); }));
}

const ComparisonRow* Comparison::first_divergence() const& noexcept {
  // What is in one only makes containers of different sizes, and says more.
  const ComparisonRow* lone = nullptr;
  const ComparisonRow* size = nullptr;
  for (const ComparisonRow& row : rows) {
    if (!is_difference(row.verdict)) continue;
    if (row.verdict == Verdict::size) size = size == nullptr ? &row : size;
    else if (row.verdict == Verdict::only_a || row.verdict == Verdict::only_b)
      lone = lone == nullptr ? &row : lone;
    else return &row;
  }
  return lone != nullptr ? lone : size;
}

void Comparison::write_text(std::ostream& out, const ComparisonText& options) const {
  using namespace comparing;
  std::vector<Cells> table = {titles};
  if (is_of_recordings) table.front().emplace_back("growth");
  std::vector<std::string> details = {is_of_recordings ? "record" : "path"};
  std::size_t hidden = 0;
  std::size_t equal = 0;
  for (const ComparisonRow* row : sorted_rows(*this, options.order)) {
    if (!options.all && row->verdict == Verdict::equal) {
      ++equal;
      continue;
    }
    if (!options.all && table.size() > options.rows) {
      ++hidden;
      continue;
    }
    table.push_back(cells_of(*row, is_of_recordings));
    details.push_back(printable(detail_text(*row)));
  }
  std::vector<std::size_t> widths(table.front().size());
  for (const Cells& cells : table)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  for (std::size_t i = 0; table.size() > 1 && i < table.size(); ++i) {
    out << fmt::format("{:{}}", table[i][0], widths[0]);
    for (std::size_t j = 1; j < widths.size(); ++j)
      out << fmt::format("  {:>{}}", table[i][j], widths[j]);
    out << "  " << details[i] << '\n';
  }
  if (hidden != 0) out << "... " << counted(hidden, "row") << " more\n";
  if (equal != 0) out << counted(equal, "equal tensor") << " not shown\n";
  for (const RenameSuggestion& one : suggestions)
    out << "maybe the same: " << printable(one.from) << " = " << printable(one.to) << " ("
        << one.reason << ")\n";
  for (const std::string& note : notes) out << "note: " << printable(note) << '\n';
  if (const ComparisonRow* first = first_divergence())
    out << "first divergence: " << printable(place_text(*first)) << '\n';
  out << fmt::format("compared {}, {} of {} finite in both, and {}",
                     counted(coverage.tensors, "tensor"), coverage.compared_elements,
                     counted(coverage.elements, "number"), counted(coverage.values, "other value"));
  if (coverage.only_a + coverage.only_b != 0)
    out << fmt::format("; {} only in a, {} only in b", coverage.only_a, coverage.only_b);
  if (coverage.nothing != 0)
    out << "; " << counted(coverage.nothing, "tensor") << " with nothing to compare";
  if (coverage.filtered != 0) out << "; " << coverage.filtered << " left out by the filter";
  out << '\n';
  const std::size_t different = differences();
  if (different != 0) out << "different: " << counted(different, "difference") << '\n';
  else if (!is_equal()) out << "not equal: nothing was compared\n";
  else out << "equal within tolerance\n";
}

}  // namespace safestructures::inline v0
