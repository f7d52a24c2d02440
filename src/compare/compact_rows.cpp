#include "compare/compact_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "platform/memory.hpp"

namespace safestructures::inline v0::comparing {
namespace {

TensorMetrics metrics_of(const CompactKind& kind, const CompactRow& row,
                         const CompactMetrics* found) {
  Totals totals{.tolerance = kind.tolerance,
                .grid = kind.grid,
                .sums = {.a_squares = row.squares, .b_squares = row.squares},
                .count = kind.count,
                .compared = kind.count};
  if (found == nullptr) return comparing::metrics_of(totals);
  totals.sums = {found->errors,    found->absolute,  found->squares,
                 found->a_squares, found->b_squares, found->square_difference};
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

}  // namespace

void CompactRows::reserve(std::size_t most) {
  memory_of_rows_ = platform::allocate_buffer(most * sizeof(CompactRow));
  memory_of_metrics_ = platform::allocate_buffer(most * sizeof(CompactMetrics));
  rows = reinterpret_cast<CompactRow*>(memory_of_rows_.get());
  metrics = reinterpret_cast<CompactMetrics*>(memory_of_metrics_.get());
}

CompactRows::Place CompactRows::place_of(std::size_t row) const {
  const std::size_t record = rows[row].record;
  const auto after = std::ranges::upper_bound(records, record, {}, &RecordColumns::begin);
  const RecordColumns& part = *std::prev(after);
  return {&part.columns, record - part.begin + part.skipped};
}

double CompactRows::error_of(std::size_t row) const {
  if (rows[row].is_exact) return 0;
  const double error = metrics[row].relative_l2;
  if (!std::isnan(error)) return error;
  return is_difference(rows[row].verdict) ? HUGE_VAL : 0;
}

TracedError CompactRows::traced(std::size_t index) const {
  const CompactRow& row = rows[index];
  TracedError traced;
  traced.evidence = row.evidence;
  if (row.input_row != CompactRow::none) traced.input_row = row.input_row;
  if (row.is_exact) {
    // No error is 0 beside all of them.
    traced.before = row.has_growth ? 1 : 0;
  } else {
    traced.beside = metrics[index].beside;
    traced.before = metrics[index].before;
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
  if (row.is_exact) return;
  metrics[index].beside = traced.beside;
  metrics[index].before = traced.before;
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
  row.metrics = metrics_of(kind, from, from.is_exact ? nullptr : &metrics[index]);
  row.record =
      RecordPlace{kind.path, place.columns->step[place.record], place.columns->call[place.record],
                  place.columns->sequence[place.record]};
  row.shape = kind.shape;
  row.makes_error = from.makes_error;
  return row;
}

}  // namespace safestructures::inline v0::comparing
