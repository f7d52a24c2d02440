#include "compare/text/shown_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/rows/record_error.hpp"
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

bool is_worse(const ShownRow& a, const ShownRow& b) {
  return a.badness != b.badness ? a.badness > b.badness : a.place < b.place;
}

/// Keeps the worst of the rows added in order, using memory for twice as many.
class WorstRows {
 public:
  explicit WorstRows(std::size_t most) : most_(most) {}

  void add(const ShownRow& row) {
    if (has_least_ && row.badness <= least_) return;
    rows_.push_back(row);
    if (rows_.size() / 2 >= most_) cut();
  }

  /// Returns the worst first; among equals, those added first.
  std::vector<ShownRow> take() {
    if (rows_.size() > most_) cut();
    std::ranges::sort(rows_, is_worse);
    return std::move(rows_);
  }

 private:
  void cut() {
    const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::ranges::nth_element(rows_, end, is_worse);
    rows_.erase(end, rows_.end());
    has_least_ = true;
    least_ = most_ == 0 ? HUGE_VAL : std::ranges::max_element(rows_, is_worse)->badness;
  }

  std::size_t most_;
  std::vector<ShownRow> rows_;
  // Once there are enough rows, others that are no worse than the last are not kept, nor equal
  // later ones.
  bool has_least_ = false;
  double least_ = 0;
};

/// The rows of each name as one: a layer that differs in each of 100 steps would fill the table.
class NameRows {
 public:
  explicit NameRows(const CompactRows& compact)
      : compact_(compact), of_kinds_(compact.kinds.size(), ShownRow{.calls = 0}) {}

  /// Returns a row as one that is no reason to show its name.
  static ShownRow left_out(ShownRow row) {
    row.badness = -std::numeric_limits<double>::infinity();
    return row;
  }

  void add(const ComparisonRow& row, const ShownRow& shown) {
    join({row.path, row.other_path, is_lone(row.verdict) ? row.verdict : Verdict::different},
         shown);
  }
  void add_compact(std::size_t place, const ShownRow& shown) {
    join(of_kinds_[compact_.rows[place].kind], shown);
  }

  /// Returns those with a row that is not left out, in the order of the rows.
  std::vector<ShownRow> take() {
    for (std::size_t i = 0; i < of_kinds_.size(); ++i) {
      const CompactKind& kind = compact_.kinds[i];
      if (of_kinds_[i].calls != 0)
        join({kind.path, kind.other_path, Verdict::different}, of_kinds_[i]);
    }
    std::vector<ShownRow> rows;
    rows.reserve(of_names_.size());
    for (const auto& [name, row] : of_names_)
      if (row.badness != left_out(row).badness) rows.push_back(row);
    std::ranges::sort(rows, {}, &ShownRow::place);
    return rows;
  }

 private:
  /// The path in both, and which side alone has it, if it is one.
  using Name = std::tuple<std::string_view, std::string_view, Verdict>;

  void join(const Name& name, const ShownRow& shown) {
    const auto [found, is_new] = of_names_.try_emplace(name, shown);
    if (!is_new) join(found->second, shown);
  }
  static void join(ShownRow& name, const ShownRow& shown) {
    const ShownRow& worst = name.calls == 0 || is_worse(shown, name) ? shown : name;
    name = {.place = worst.place,
            .badness = worst.badness,
            .calls = name.calls + shown.calls,
            .different = name.different + shown.different};
  }

  const CompactRows& compact_;
  std::vector<ShownRow> of_kinds_;  // By the index of the kind, because a map takes longer.
  std::map<Name, ShownRow> of_names_;
};

/// Calls `whole` or `compact` with each row of a store, as `visit` does, and how it is ranked.
template <typename Whole, typename Compact>
void rank(const RowStore& store, const Whole& whole, const Compact& compact) {
  const auto shown = [](std::size_t i, Verdict verdict, double badness) {
    return ShownRow{.place = i, .badness = badness, .different = is_difference(verdict) ? 1U : 0U};
  };
  // No row is made: making 100,000 took three times as long as comparing the records.
  const CompactRows& rows = store.compact();
  store.visit([&](std::size_t i,
                  const ComparisonRow& row) { whole(row, shown(i, row.verdict, badness(row))); },
              [&](std::size_t i, std::size_t place) {
                compact(place, shown(i, rows.rows[place].verdict, badness(rows, place)));
              });
}

}  // namespace

ShownRows shown_rows(const Comparison& comparison, const TableOptions& options) {
  const RowStore* const store = RowStore::of(comparison.rows);
  if (store == nullptr) return {};
  const bool is_by_call = options.order == RowOrder::call;
  const bool are_names = comparison.is_of_recordings && !is_by_call && !options.all;
  ShownRows shown;
  WorstRows worst(options.all ? store->size() : options.rows);
  std::size_t found = 0;
  const auto add = [&](ShownRow row) {
    ++found;
    if (is_by_call) row.badness = 0;
    worst.add(row);
  };
  const auto is_left_out = [&](Verdict verdict) {
    if (options.all || verdict != Verdict::equal) return false;
    ++shown.equal;
    return true;
  };
  const CompactRows& rows = store->compact();
  if (are_names) {
    NameRows names(rows);
    rank(
        *store,
        [&](const ComparisonRow& row, const ShownRow& one) {
          names.add(row, is_left_out(row.verdict) ? NameRows::left_out(one) : one);
        },
        [&](std::size_t place, const ShownRow& one) {
          const bool is_equal = is_left_out(rows.rows[place].verdict);
          names.add_compact(place, is_equal ? NameRows::left_out(one) : one);
        });
    for (const ShownRow& row : names.take()) add(row);
  } else {
    rank(
        *store,
        [&](const ComparisonRow& row, const ShownRow& one) {
          if (!is_left_out(row.verdict)) add(one);
        },
        [&](std::size_t place, const ShownRow& one) {
          if (!is_left_out(rows.rows[place].verdict)) add(one);
        });
  }
  shown.rows = worst.take();
  shown.hidden = found - shown.rows.size();
  shown.have_calls =
      std::ranges::any_of(shown.rows, [](const ShownRow& row) { return row.calls > 1; });
  return shown;
}

}  // namespace safestructures::inline v0::comparing
