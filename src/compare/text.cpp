#include "compare/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/record_error.hpp"
#include "compare/row_store.hpp"
#include "data/number.hpp"
#include "data/printable.hpp"

namespace safestructures::inline v0 {

namespace comparing {
namespace {

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
  if (row.statistics && row.statistics->distance) {
    const StatisticsMetrics& found = *row.statistics;
    const double allowed = found.tolerance.atol * std::sqrt(static_cast<double>(found.count)) +
                           found.tolerance.rtol * found.norm_b;
    if (*found.distance == 0) return 0;
    const double ratio = *found.distance / allowed;
    // Of infinities.
    return std::isnan(ratio) ? endless : ratio;
  }
  if (!row.metrics) return is_difference(row.verdict) ? endless : -1;
  // What the noise excuses comes behind what it does not.
  if (row.noise && row.noise->excess && row.verdict == Verdict::close)
    return std::min(1.0, *row.noise->excess);
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

/// As of the row that is made of it: all of its numbers are finite, and it has no noise.
double badness(const CompactRows& rows, std::size_t place) {
  const CompactRow& row = rows.rows[place];
  return row.is_exact() ? 0 : rows.metrics[row.metrics].max_ratio;
}

/// The worst of rows that are added in their order, in as much memory as twice as many take.
class WorstRows {
 public:
  struct Row {
    double badness = 0;
    std::size_t place = 0;
  };

  explicit WorstRows(std::size_t most) : most_(most) {}

  void add(Row row) {
    if (has_least_ && row.badness <= least_) return;
    rows_.push_back(row);
    if (rows_.size() / 2 >= most_) cut();
  }

  /// The worst first, and of equals those that were added first.
  std::vector<std::size_t> places() {
    if (rows_.size() > most_) cut();
    std::ranges::sort(rows_, is_worse);
    std::vector<std::size_t> places;
    places.reserve(rows_.size());
    for (const Row& row : rows_) places.push_back(row.place);
    return places;
  }

 private:
  static bool is_worse(const Row& a, const Row& b) {
    return a.badness != b.badness ? a.badness > b.badness : a.place < b.place;
  }

  void cut() {
    const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::ranges::nth_element(rows_, end, is_worse);
    rows_.erase(end, rows_.end());
    has_least_ = true;
    least_ = most_ == 0 ? HUGE_VAL : std::ranges::max_element(rows_, is_worse)->badness;
  }

  std::size_t most_;
  std::vector<Row> rows_;
  // What is no worse than the last of enough rows is not among them, nor are equals behind it.
  bool has_least_ = false;
  double least_ = 0;
};

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

/// How many times what the noise explains.
std::string noise_text(const Boxed<NoiseFloor>& noise) {
  if (!noise) return "-";
  return noise->excess ? fmt::format("{:.2g}x", *noise->excess) : "no noise";
}

Cells titles_of(const Comparison& comparison) {
  Cells cells = titles;
  if (comparison.has_noise) cells.emplace_back("noise");
  if (comparison.is_of_recordings) cells.emplace_back("out/in");
  return cells;
}

Cells cells_of(const ComparisonRow& row, const Comparison& comparison) {
  Cells cells(titles.size(), "-");
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
  if (row.statistics) {
    const StatisticsMetrics& found = *row.statistics;
    const bool is_exact = found.has_same_hash.value_or(false);
    if (is_exact) cells[3] = "0";
    else if (found.relative_l2) cells[3] = "~" + short_number(*found.relative_l2);
    if (is_exact) cells[4] = "exact";
    else if (found.relative_l2 && *found.relative_l2 > 0)
      cells[4] = fmt::format("~{:.1f}", -20 * std::log10(*found.relative_l2));
  }
  if (comparison.has_noise) cells.push_back(noise_text(row.noise));
  if (!comparison.is_of_recordings) return cells;
  if (row.origin && row.origin->amplification)
    cells.push_back(short_number(*row.origin->amplification) + (row.makes_error ? " new" : ""));
  else cells.emplace_back(row.makes_error ? "new" : "-");
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
  if (row.record && row.record->match != RecordMatch::call)
    more += fmt::format("; paired by its {}", to_string(row.record->match));
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

CoverageCounts counts_of(const Coverage& coverage) {
  return {{{"tensors", coverage.tensors},
           {"statistics", coverage.statistics},
           {"values", coverage.values},
           {"elements", coverage.elements},
           {"compared_elements", coverage.compared_elements},
           {"only_a", coverage.only_a},
           {"only_b", coverage.only_b},
           {"nothing", coverage.nothing},
           {"filtered", coverage.filtered},
           {"without_noise", coverage.without_noise}}};
}

ShownRows shown_rows(const Comparison& comparison, const ComparisonText& options) {
  const RowStore* const store = RowStore::of(comparison.rows);
  if (store == nullptr) return {};
  WorstRows worst(options.all ? store->size() : options.rows);
  std::size_t found = 0;
  const auto add = [&](std::size_t place, Verdict verdict, const auto& rank) {
    if (!options.all && verdict == Verdict::equal) return;
    ++found;
    worst.add({options.order == RowOrder::worst ? rank() : 0, place});
  };
  // No row is made for it: to make 100,000 took three times as long as to compare the records.
  store->visit([&](std::size_t i,
                   const ComparisonRow& row) { add(i, row.verdict, [&] { return badness(row); }); },
               [&](std::size_t i, std::size_t place) {
                 const CompactRows& rows = store->compact();
                 add(i, rows.rows[place].verdict, [&] { return badness(rows, place); });
               });
  ShownRows shown{.places = worst.places(), .equal = store->size() - found};
  shown.hidden = found - shown.places.size();
  return shown;
}

}  // namespace comparing

std::string_view to_string(InputEvidence evidence) noexcept {
  constexpr std::array<std::string_view, 4> names = {"none", "other_shape", "same_shape",
                                                     "recorded"};
  return names[static_cast<std::size_t>(evidence)];
}

std::string_view to_string(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 11> names = {"equal", "close",     "nothing",  "different",
                                                      "value", "dtype",     "shape",    "size",
                                                      "kind",  "only in a", "only in b"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(RecordMatch match) noexcept {
  constexpr std::array<std::string_view, 3> names = {"call", "shape", "order"};
  return names[static_cast<std::size_t>(match)];
}

bool Comparison::is_equal() const noexcept {
  return differences() == 0 &&
         coverage.tensors + coverage.statistics + coverage.values > coverage.nothing;
}

std::size_t Comparison::differences() const noexcept {
  const auto* const store = comparing::RowStore::of(rows);
  return store != nullptr ? store->differences() : 0;
}

const ComparisonRow* Comparison::first_divergence() const& {
  if (rows.empty()) return nullptr;
  const auto first = comparing::RowStore::of(rows)->first_divergence();
  return first ? &rows[*first] : nullptr;
}

void Comparison::write_text(std::ostream& out, const ComparisonText& options) const {
  using namespace comparing;
  std::vector<Cells> table = {titles_of(*this)};
  std::vector<std::string> details = {is_of_recordings ? "record" : "path"};
  const ShownRows shown = shown_rows(*this, options);
  for (const std::size_t place : shown.places) {
    const ComparisonRow row = RowStore::of(rows)->row(place);
    table.push_back(cells_of(row, *this));
    details.push_back(detail::printable(detail_text(row)));
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
  if (shown.hidden != 0) out << "... " << detail::counted(shown.hidden, "row") << " more\n";
  if (shown.equal != 0) out << detail::counted(shown.equal, "equal tensor") << " not shown\n";
  for (const std::string& line : closing_lines(*this)) out << line << '\n';
}

}  // namespace safestructures::inline v0
