#include "compare/rows/compact_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "compare/metrics/noise_floor.hpp"
#include "compare/metrics/row_detail.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::comparing {
namespace {

double or_nan(const std::optional<double>& number) {
  return number.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> unless_nan(double number) {
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

}  // namespace

TensorMetrics CompactRows::metrics_of(const CompactKind& kind, const CompactRow& row,
                                      const CompactMetrics* found) {
  Totals totals{.tolerance = kind.tolerance,
                .grid = kind.grid,
                .sums = {},
                .count = kind.count,
                .compared = kind.count};
  if (found == nullptr) {
    totals.sums.a_squares = totals.sums.b_squares = row.measure;
    return comparing::metrics_of(totals);
  }
  totals.sums = {found->errors,    found->absolute,  found->squares,
                 found->a_squares, found->b_squares, found->square_difference};
  totals.compared = found->compared(kind.count);
  totals.non_finite.nan_both = found->nan_both;
  totals.non_finite.infinity_both = found->infinity_both;
  totals.differing = found->differing;
  totals.beyond = found->beyond;
  totals.max_absolute = found->max_absolute;
  totals.max_ratio = found->max_ratio;
  totals.max_relative = found->max_relative;
  totals.largest_b = found->largest_b;
  totals.max_ulp = found->max_ulp;
  totals.common_bits = found->common_bits;
  TensorMetrics metrics = comparing::metrics_of(totals);
  if (found->differing != 0) metrics.worst = {found->worst, found->worst_a, found->worst_b};
  return metrics;
}

std::optional<NoiseFloor> CompactNoise::floor() const {
  if (runs == 0) return std::nullopt;
  return NoiseFloor{.max_absolute = max_absolute,
                    .rmse = rmse,
                    .relative_l2 = unless_nan(relative_l2),
                    .runs = runs,
                    .is_precise = is_precise,
                    .factor = factor,
                    .excess = unless_nan(excess)};
}

CompactNoise compact(const NoiseFloor& floor) {
  return {.max_absolute = floor.max_absolute,
          .rmse = floor.rmse,
          .relative_l2 = or_nan(floor.relative_l2),
          .factor = floor.factor,
          .excess = or_nan(floor.excess),
          .runs = static_cast<std::uint32_t>(floor.runs),
          .is_precise = floor.is_precise};
}

void CompactRows::reserve(std::size_t most_rows, std::size_t most_metrics, bool has_noise) {
  const std::size_t size_of_metrics = most_metrics * sizeof(CompactMetrics);
  // Allocated separately: equal records use no metrics, and a huge page of which a quarter is used
  // takes longer to touch than small pages.
  memory_of_rows_ = platform::allocate_buffer(most_rows * sizeof(CompactRow));
  memory_of_metrics_ = platform::allocate_buffer(size_of_metrics + most_metrics * sizeof(Beside));
  rows = reinterpret_cast<CompactRow*>(memory_of_rows_.get());
  metrics = reinterpret_cast<CompactMetrics*>(memory_of_metrics_.get());
  beside_ = reinterpret_cast<Beside*>(memory_of_metrics_.get() + size_of_metrics);
  if (!has_noise) return;
  memory_of_noise_ = platform::allocate_buffer(most_rows * sizeof(CompactNoise));
  noise = reinterpret_cast<CompactNoise*>(memory_of_noise_.get());
}

CompactRows::Place CompactRows::place_of(std::size_t row) const {
  const std::size_t record = rows[row].record;
  const auto after = std::ranges::upper_bound(records, record, {}, &RecordColumns::begin);
  const RecordColumns& part = *std::prev(after);
  return {&part.columns, record - part.begin + part.skipped};
}

std::optional<std::uint64_t> CompactRows::other_call_of(std::size_t record) const {
  const auto found =
      std::ranges::lower_bound(other_calls, record, {}, &decltype(other_calls)::value_type::first);
  if (found == other_calls.end() || found->first != record) return std::nullopt;
  return found->second;
}

double CompactRows::error_of(std::size_t row) const {
  const CompactRow& one = rows[row];
  if (one.is_exact()) return 0;
  if (!std::isnan(one.measure)) return one.measure;
  return is_difference(one.verdict) ? HUGE_VAL : 0;
}

TracedError CompactRows::traced(std::size_t index) const {
  const CompactRow& row = rows[index];
  TracedError traced;
  traced.evidence = row.evidence;
  if (row.input_row != CompactRow::none) traced.input_row = row.input_row;
  if (row.is_exact()) {
    // This error is 0, so all that matters is whether there are errors before it.
    traced.before = row.has_growth ? 1 : 0;
  } else {
    traced.beside = beside_[row.metrics].beside;
    traced.before = beside_[row.metrics].before;
  }
  return traced;
}

void CompactRows::trace(std::size_t index, const TracedError& traced, bool makes_error) {
  CompactRow& row = rows[index];
  row.evidence = traced.evidence;
  row.input_row =
      traced.input_row ? static_cast<std::uint32_t>(*traced.input_row) : CompactRow::none;
  row.makes_error = makes_error;
  row.has_growth = traced.before > 0 && std::isfinite(traced.before);
  if (!row.is_exact()) beside_[row.metrics] = {traced.beside, traced.before};
}

ComparisonRow CompactRows::make(std::size_t index) const {
  const CompactRow& from = rows[index];
  const CompactKind& kind = kinds[from.kind];
  const Place place = place_of(index);
  ComparisonRow row;
  row.path = kind.path;
  row.other_path = kind.other_path;
  row.verdict = from.verdict;
  row.detail = kind.detail;
  row.metrics = metrics_of(kind, from, from.is_exact() ? nullptr : &metrics[from.metrics]);
  if (!from.is_exact() && row.metrics->relative_l2 && from.measure > *row.metrics->relative_l2)
    row.unmasked_l2 = from.measure;
  row.record = RecordPlace{kind.path,
                           place.columns->step[place.record],
                           place.columns->call[place.record],
                           place.columns->sequence[place.record],
                           from.match,
                           other_call_of(from.record)};
  row.shape = kind.shape;
  row.makes_error = from.makes_error;
  if (const auto floor = noise == nullptr ? std::nullopt : noise[index].floor()) {
    row.noise = *floor;
    const NoiseVerdict found = verdict_of(
        *floor, {.is_within = row.metrics->is_within(), .is_given = kind.has_given_tolerance});
    if (found != NoiseVerdict::as_without) add_detail(row, text_of(found));
  }
  return row;
}

}  // namespace safestructures::inline v0::comparing
