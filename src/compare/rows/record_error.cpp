#include "compare/rows/record_error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace safestructures::inline v0::comparing {
namespace {

double half_a_step(std::uint64_t binade) { return 0.5 / static_cast<double>(binade); }

std::optional<double> measured(double error) {
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

}  // namespace

bool is_lone(Verdict verdict) noexcept {
  return verdict == Verdict::only_a || verdict == Verdict::only_b;
}

double error_of(const ComparisonRow& row) {
  if (row.metrics) {
    const TensorMetrics& found = *row.metrics;
    const bool is_finite = found.non_finite.differing() == 0;
    if (is_finite && found.relative_l2) return row.unmasked_l2.value_or(*found.relative_l2);
    if (is_finite && found.compared == 0) return 0;
  }
  if (row.statistics && row.statistics->relative_l2) return *row.statistics->relative_l2;
  return is_difference(row.verdict) ? HUGE_VAL : 0;
}

double least_error(const Grid& grid) { return half_a_step(std::uint64_t{1} << grid.fraction_bits); }

double least_error(const ComparisonRow& row) {
  if (row.noise && row.noise->relative_l2 && *row.noise->relative_l2 > 0)
    return *row.noise->relative_l2;
  const bool has_steps = row.metrics && row.metrics->ulp && row.metrics->ulp->binade > 0;
  return half_a_step(has_steps ? row.metrics->ulp->binade : 1U << 23U);
}

RecordError record_error(const RowStore& rows, std::size_t begin) {
  RecordError record;
  record.begin = record.end = begin;
  for (; record.end < rows.size(); ++record.end) {
    const RowFacts row = rows.facts(record.end);
    if (record.end == begin) {
      record.name = row.name;
      record.step = row.step;
      record.sequence = row.sequence;
      record.is_lone = is_lone(row.verdict);
    } else if (row.sequence != record.sequence || row.name != record.name || record.is_lone) {
      // The rows that only b has have b's sequence numbers.
      break;
    }
    if (is_lone(row.verdict)) continue;
    if (row.shape != nullptr && (record.shape == nullptr || row.error > record.error))
      record.shape = row.shape;
    record.error = std::max(record.error, row.error);
    record.least = std::max(record.least, row.least);
    record.is_different = record.is_different || is_difference(row.verdict);
  }
  return record;
}

std::optional<double> score_of(const TracedError& traced, double error, double least) {
  // If the input's error has no measure, this one is passed on.
  if (std::isinf(traced.beside)) return 0;
  if (std::isinf(error) && traced.beside <= least) return std::nullopt;
  // An error counts as at most 1: a mask that moved gives infinities relative to the numbers of a
  // wrong input, or differences of 1e9.
  return std::min(error, 1.0) / std::max(traced.beside, least);
}

void set_origin_of(ComparisonRow& row, const TracedError& traced, const ErrorWithInput& errors) {
  ErrorOrigin origin;
  origin.evidence = traced.evidence;
  origin.input_row = traced.input_row;
  origin.error = measured(errors.error);
  origin.input_error = measured(errors.input);
  if (origin.error && origin.input_error && errors.input > 0)
    origin.amplification = errors.error / errors.input;
  origin.score = score_of(traced, errors.error, errors.least);
  if (traced.before > 0 && std::isfinite(traced.before) && origin.error)
    row.growth = errors.error / traced.before;
  row.origin = origin;
}

}  // namespace safestructures::inline v0::comparing
