#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <safestructures/compare/comparison.hpp>
#include "compare/rows/row_store.hpp"
#include "compare/text/text.hpp"
#include "data/text/json_text.hpp"
#include "data/text/number.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0 {
namespace {

std::string number(double value) { return detail::json_number(value); }
std::string number(const std::optional<double>& value) { return value ? number(*value) : "null"; }

std::string element(const Value& value) {
  switch (value.kind()) {
    case Kind::boolean: return value.as_bool() ? "true" : "false";
    case Kind::integer: return value.integer_text();
    case Kind::floating: return number(value.as_double());
    case Kind::complex:
      return fmt::format("[{}, {}]", number(value.as_complex().real()),
                         number(value.as_complex().imag()));
    default: return "null";
  }
}

std::string_view state(SnrState value) {
  switch (value) {
    case SnrState::number: return "number";
    case SnrState::exact: return "exact";
    case SnrState::zero_reference: return "zero_reference";
    case SnrState::nothing: break;
  }
  return "nothing";
}

void write_metrics(std::ostream& out, const TensorMetrics& found) {
  const NonFiniteCounts& other = found.non_finite;
  out << fmt::format(
      R"(, "count": {}, "compared": {}, "differing": {}, "beyond": {}, "rtol": {}, "atol": {}, )"
      R"("max_absolute": {}, "max_relative": {}, "max_ratio": {}, "mean_error": {}, )"
      R"("mean_absolute": {}, "rmse": {}, "norm_a": {}, "norm_b": {}, "relative_l2": {}, )",
      found.count, found.compared, found.differing, found.beyond, number(found.tolerance.rtol),
      number(found.tolerance.atol), number(found.max_absolute), number(found.max_relative),
      number(found.max_ratio), number(found.mean_error), number(found.mean_absolute),
      number(found.rmse), number(found.norm_a), number(found.norm_b), number(found.relative_l2));
  out << fmt::format(
      R"("snr_db": {}, "snr_state": "{}", "cosine": {}, "cosine_distance": {}, "norm_ratio": {}, )",
      found.snr_state == SnrState::number ? number(found.snr) : "null", state(found.snr_state),
      number(found.cosine), number(found.cosine_distance), number(found.norm_ratio));
  if (found.ulp)
    out << fmt::format(
        R"("ulp": {{"dtype": "{}", "max": {}, "p99": {}, "at_peak": {}, "binade": {}}}, )",
        to_string(found.ulp->dtype), found.ulp->max, found.ulp->p99, number(found.ulp->at_peak),
        found.ulp->binade);
  else out << R"("ulp": null, )";
  out << fmt::format(
      R"("non_finite": {{"nan_both": {}, "nan_only_a": {}, "nan_only_b": {}, "infinity_both": {}, )"
      R"("infinity_only_a": {}, "infinity_only_b": {}, "infinity_signs": {}, )"
      R"("nan_infinity": {}}}, "worst": )",
      other.nan_both, other.nan_only_a, other.nan_only_b, other.infinity_both,
      other.infinity_only_a, other.infinity_only_b, other.infinity_signs, other.nan_infinity);
  if (found.worst)
    out << fmt::format(R"({{"index": {}, "a": {}, "b": {}}})", found.worst->index,
                       element(found.worst->a), element(found.worst->b));
  else out << "null";
}

void write_noise(std::ostream& out, const NoiseFloor& noise) {
  out << fmt::format(
      R"(, "noise": {{"max_absolute": {}, "rmse": {}, "relative_l2": {}, "runs": {}, )"
      R"("precise": {}, "factor": {}, "excess": {}}})",
      number(noise.max_absolute), number(noise.rmse), number(noise.relative_l2), noise.runs,
      noise.is_precise, number(noise.factor), number(noise.excess));
}

void write_statistics(std::ostream& out, const StatisticsMetrics& found) {
  out << fmt::format(
      R"(, "statistics": {{"count": {}, "rtol": {}, "atol": {}, "same_hash": {}, "distance": {}, )"
      R"("relative_l2": {}, "cosine_distance": {}, "estimate_deviation": {}, "norm_ratio": {}, )"
      R"("histogram_distance": {}, "quantile_distance": {}, )",
      found.count, number(found.tolerance.rtol), number(found.tolerance.atol),
      found.has_same_hash ? (*found.has_same_hash ? "true" : "false") : "null",
      number(found.distance), number(found.relative_l2), number(found.cosine_distance),
      number(StatisticsMetrics::estimate_deviation), number(found.norm_ratio),
      number(found.histogram_distance), number(found.quantile_distance));
  const auto pair = [&](const char* name, double a, double b, const char* end) {
    out << fmt::format(R"("{}": [{}, {}]{})", name, number(a), number(b), end);
  };
  pair("norm", found.norm_a, found.norm_b, ", ");
  pair("mean", found.mean_a, found.mean_b, ", ");
  pair("standard_deviation", found.standard_deviation_a, found.standard_deviation_b, ", ");
  pair("min", found.min_a, found.min_b, ", ");
  pair("max", found.max_a, found.max_b, "}");
}

void write_origin(std::ostream& out, const ErrorOrigin& origin, const Comparison& comparison) {
  out << fmt::format(
      R"(, "origin": {{"input": {}, "input_row": {}, "evidence": "{}", "error": {}, )"
      R"("input_error": {}, "amplification": {}, "score": {}}})",
      origin.input_row
          ? json::quote(comparing::RowStore::of(comparison.rows)->facts(*origin.input_row).name)
          : "null",
      origin.input_row ? std::to_string(*origin.input_row) : "null", to_string(origin.evidence),
      number(origin.error), number(origin.input_error), number(origin.amplification),
      number(origin.score));
}

void write_row(std::ostream& out, const ComparisonRow& row, const Comparison& comparison) {
  out << fmt::format(R"({{"path": {}, "other_path": {}, "verdict": "{}", "detail": {})",
                     json::quote(row.path),
                     row.other_path.empty() ? "null" : json::quote(row.other_path),
                     to_string(row.verdict), json::quote(row.detail));
  if (row.record)
    out << fmt::format(
        R"(, "record": {{"name": {}, "step": {}, "call": {}, "other_call": {}, "sequence": {}, )"
        R"("paired_by": "{}"}}, "growth": {}, "makes_error": {})",
        json::quote(row.record->name), row.record->step, row.record->call,
        row.record->other_call ? std::to_string(*row.record->other_call) : "null",
        row.record->sequence, to_string(row.record->match), number(row.growth), row.makes_error);
  if (!row.permutation.empty())
    out << fmt::format(R"(, "permutation": [{}])", fmt::join(row.permutation, ", "));
  if (row.metrics) {
    out << fmt::format(R"(, "shape": [{}])", fmt::join(row.shape, ", "));
    write_metrics(out, *row.metrics);
    if (row.unmasked_l2) out << R"(, "unmasked_l2": )" << number(row.unmasked_l2);
  }
  if (row.statistics) {
    out << fmt::format(R"(, "shape": [{}])", fmt::join(row.shape, ", "));
    write_statistics(out, *row.statistics);
  }
  if (!row.suspicions.empty()) {
    out << R"(, "suspicions": [)";
    for (std::size_t i = 0; i < row.suspicions.size(); ++i)
      out << (i == 0 ? "" : ", ")
          << fmt::format(R"({{"fault": {}, "evidence": {}, "explained": {}}})",
                         json::quote(row.suspicions[i].fault),
                         json::quote(row.suspicions[i].evidence),
                         number(row.suspicions[i].explained));
    out << ']';
  }
  if (row.origin) write_origin(out, *row.origin, comparison);
  if (row.noise) write_noise(out, *row.noise);
  out << '}';
}

}  // namespace

void Comparison::write_json(std::ostream& out) const {
  detail::PathText printed;
  for (std::size_t i = 0; i < rows.size(); ++i) comparing::add_names(*this, i, printed);
  out << fmt::format(R"({{"equal": {}, "differences": {}, "coverage": {{)", is_equal(),
                     differences());
  for (std::string_view comma; const auto& [name, count] : comparing::counts_of(coverage)) {
    out << fmt::format(R"({}"{}": {})", comma, name, count);
    comma = ", ";
  }
  out << "}, ";
  const ComparisonRow* const first = first_divergence();
  out << R"("first_divergence": )";
  if (first == nullptr) out << "null";
  else write_row(out, *first, *this);
  out << R"(, "culprits": [)";
  for (std::size_t i = 0; i < culprits.size(); ++i)
    out << (i == 0 ? "" : ", ")
        << fmt::format(R"({{"name": {}, "row": {}, "calls": {}, "score": {}}})",
                       json::quote(culprits[i].name), culprits[i].row, culprits[i].calls,
                       number(culprits[i].score));
  out << R"(], "notes": [)";
  for (std::size_t i = 0; i < notes.size(); ++i)
    out << (i == 0 ? "" : ", ") << json::quote(notes[i]);
  out << R"(], "suggestions": [)";
  for (std::size_t i = 0; i < suggestions.size(); ++i)
    out << (i == 0 ? "" : ", ")
        << fmt::format(R"({{"from": {}, "to": {}, "reason": {}}})",
                       json::quote(suggestions[i].from), json::quote(suggestions[i].to),
                       json::quote(suggestions[i].reason));
  out << R"(], "rows": [)";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != 0) out << ",\n";
    write_row(out, comparing::RowStore::of(rows)->row(i), *this);
  }
  out << "]}\n";
}

}  // namespace safestructures::inline v0
