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
    ++added_;
    if (has_least_ && row.badness <= least_) return;
    rows_.push_back(row);
    if (rows_.size() / 2 >= most_) cut();
  }

  /// Returns the worst first; among equals, those added first. \param equal counted only
  ShownRows take(std::size_t equal) {
    if (rows_.size() > most_) cut();
    std::ranges::sort(rows_, is_worse);
    ShownRows shown{.rows = std::move(rows_), .equal = equal};
    shown.hidden = added_ - shown.rows.size();
    shown.have_calls =
        std::ranges::any_of(shown.rows, [](const ShownRow& row) { return row.calls > 1; });
    return shown;
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
  std::size_t added_ = 0;
  std::vector<ShownRow> rows_;
  // Once there are enough rows, others that are no worse than the last are not kept, nor equal
  // later ones.
  bool has_least_ = false;
  double least_ = 0;
};

/// Takes each row as one of the table.
class SingleRows {
 public:
  explicit SingleRows(std::size_t most) : worst_(most) {}

  template <typename Row>
  void count_equal(const Row&) {
    ++equal_;
  }
  template <typename Row>
  void add(const Row&, const ShownRow& shown) {
    worst_.add(shown);
  }
  ShownRows take() { return worst_.take(equal_); }

 private:
  WorstRows worst_;
  std::size_t equal_ = 0;
};

/// Takes the rows of each name as one: a layer that differs in each of 100 steps would fill the
/// table.
class NameRows {
 public:
  explicit NameRows(const CompactRows& compact)
      : compact_(compact), of_kinds_(compact.kinds.size(), no_call) {}

  void count_equal(const ComparisonRow& row) { count_equal(name_of(row)); }
  void count_equal(std::size_t compact) { count_equal(of_kinds_[compact_.rows[compact].kind]); }
  void add(const ComparisonRow& row, const ShownRow& shown) { join(name_of(row), shown); }
  void add(std::size_t compact, const ShownRow& shown) {
    join(of_kinds_[compact_.rows[compact].kind], shown);
  }

  ShownRows take(std::size_t most) {
    for (std::size_t i = 0; i < of_kinds_.size(); ++i) {
      const CompactKind& kind = compact_.kinds[i];
      join(name_of(Name(kind.path, kind.other_path, Verdict::different)), of_kinds_[i]);
    }
    std::vector<ShownRow> names;
    for (const auto& [name, row] : of_names_)
      if (row.place != no_call.place) names.push_back(row);
    std::ranges::sort(names, {}, &ShownRow::place);
    WorstRows worst(most);
    for (const ShownRow& name : names) worst.add(name);
    return worst.take(equal_);
  }

 private:
  /// The path in both, and which side alone has it, if it is one.
  using Name = std::tuple<std::string_view, std::string_view, Verdict>;
  static constexpr ShownRow no_call{.place = std::numeric_limits<std::size_t>::max(),
                                    .badness = -std::numeric_limits<double>::infinity(),
                                    .calls = 0};

  ShownRow& name_of(const Name& name) { return of_names_.try_emplace(name, no_call).first->second; }
  ShownRow& name_of(const ComparisonRow& row) {
    const Verdict side = is_lone(row.verdict) ? row.verdict : Verdict::different;
    return name_of(Name(row.path, row.other_path, side));
  }
  void count_equal(ShownRow& name) {
    ++equal_;
    ++name.calls;
  }
  static void join(ShownRow& name, const ShownRow& shown) {
    if (is_worse(shown, name)) {
      name.place = shown.place;
      name.badness = shown.badness;
    }
    name.calls += shown.calls;
    name.different += shown.different;
  }

  const CompactRows& compact_;
  std::vector<ShownRow> of_kinds_;  // By the index of the kind, because a map takes longer.
  std::map<Name, ShownRow> of_names_;
  std::size_t equal_ = 0;
};

/// Adds all rows of a store, or counts those that are equal.
template <typename Rows>
void add_rows(const RowStore& store, const TableOptions& options, Rows& rows) {
  const CompactRows& compact = store.compact();
  const auto add = [&](std::size_t place, const auto& row, Verdict verdict, const auto& rank) {
    if (!options.all && verdict == Verdict::equal) return rows.count_equal(row);
    rows.add(row, {.place = place,
                   .badness = options.order == RowOrder::worst ? rank() : 0,
                   .different = is_difference(verdict) ? 1U : 0U});
  };
  // No row is made: making 100,000 took three times as long as comparing the records.
  store.visit(
      [&](std::size_t i, const ComparisonRow& row) {
        add(i, row, row.verdict, [&] { return badness(row); });
      },
      [&](std::size_t i, std::size_t place) {
        add(i, place, compact.rows[place].verdict, [&] { return badness(compact, place); });
      });
}

}  // namespace

ShownRows shown_rows(const Comparison& comparison, const TableOptions& options) {
  const RowStore* const store = RowStore::of(comparison.rows);
  if (store == nullptr) return {};
  if (comparison.is_of_recordings && options.order == RowOrder::worst && !options.all) {
    NameRows names(store->compact());
    add_rows(*store, options, names);
    return names.take(options.rows);
  }
  SingleRows rows(options.all ? store->size() : options.rows);
  add_rows(*store, options, rows);
  return rows.take();
}

}  // namespace safestructures::inline v0::comparing
