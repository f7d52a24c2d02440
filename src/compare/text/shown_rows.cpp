#include "compare/text/shown_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "compare/rows/row_store.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Ranks rows that differ before those that do not, whatever the ratio to the tolerance: noise, or
/// what statistics prove, may override it.
double by_verdict(Verdict verdict, double ratio) {
  return is_difference(verdict) ? 1 + ratio : std::min(1.0, ratio);
}

/// Returns how far the numbers of a row exceed their tolerance.
double ratio_of(const ComparisonRow& row) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  if (row.statistics && row.statistics->distance) {
    const StatisticsMetrics& found = *row.statistics;
    const double allowed = found.tolerance.atol * std::sqrt(static_cast<double>(found.count)) +
                           found.tolerance.rtol * found.norm_b;
    if (*found.distance == 0) return 0;
    const double ratio = *found.distance / allowed;
    // The norm may be NaN, if the file says so.
    return std::isnan(ratio) ? endless : ratio;
  }
  if (!row.metrics) return is_difference(row.verdict) ? endless : -1;
  // Excused noise ranks after noise that is not excused.
  if (row.noise && row.noise->excess && row.verdict == Verdict::close) return *row.noise->excess;
  return row.metrics->non_finite.differing() == 0 ? row.metrics->max_ratio.value_or(endless)
                                                  : endless;
}

/// Returns the key for ranking a row: the worst have the highest.
double badness(const ComparisonRow& row) { return by_verdict(row.verdict, ratio_of(row)); }

/// The same as for the row made from it: all of its numbers are finite.
double badness(const CompactRows& rows, std::size_t place) {
  const CompactRow& row = rows.rows[place];
  if (rows.noise != nullptr && row.verdict == Verdict::close && rows.noise[place].runs != 0 &&
      !std::isnan(rows.noise[place].excess))
    return by_verdict(row.verdict, rows.noise[place].excess);
  return by_verdict(row.verdict, row.is_exact() ? 0 : rows.metrics[row.metrics].max_ratio);
}

/// Keeps the worst of the rows added in order, using memory for twice as many.
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

  /// Returns the worst first; among equals, those added first.
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
  // Once there are enough rows, others that are no worse than the last are not kept, nor equal
  // later ones.
  bool has_least_ = false;
  double least_ = 0;
};

}  // namespace

ShownRows shown_rows(const Comparison& comparison, const TableOptions& options) {
  const RowStore* const store = RowStore::of(comparison.rows);
  if (store == nullptr) return {};
  WorstRows worst(options.all ? store->size() : options.rows);
  std::size_t found = 0;
  const auto add = [&](std::size_t place, Verdict verdict, const auto& rank) {
    if (!options.all && verdict == Verdict::equal) return;
    ++found;
    worst.add({options.order == RowOrder::worst ? rank() : 0, place});
  };
  // No row is made: making 100,000 took three times as long as comparing the records.
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

}  // namespace safestructures::inline v0::comparing
