#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <safestructures/compare/comparison.hpp>
#include "data/number.hpp"
#include "data/printable.hpp"

namespace safestructures::inline v0 {
namespace {

/// A string in ASCII; a byte that is no UTF-8 is the code point of its number.
std::string text(std::string_view value) {
  std::string json = "\"";
  while (!value.empty()) {
    const detail::CodePoint code = detail::first_code_point(value);
    if (code.value == '"' || code.value == '\\') (json += '\\') += static_cast<char>(code.value);
    else if (code.value >= 0x20 && code.value < 0x7f) json += static_cast<char>(code.value);
    else if (code.value < 0x10000) json += fmt::format("\\u{:04x}", code.value);
    else
      json += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((code.value - 0x10000) >> 10U),
                          0xdc00 + ((code.value - 0x10000) & 0x3ffU));
    value.remove_prefix(code.size);
  }
  return json + '"';
}

std::string number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::string digits;
  detail::append_float(digits, value);
  return digits;
}

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
      R"("infinity_only_a": {}, "infinity_only_b": {}, "infinity_signs": {}}}, "worst": )",
      other.nan_both, other.nan_only_a, other.nan_only_b, other.infinity_both,
      other.infinity_only_a, other.infinity_only_b, other.infinity_signs);
  if (found.worst)
    out << fmt::format(R"({{"index": {}, "a": {}, "b": {}}})", found.worst->index,
                       element(found.worst->a), element(found.worst->b));
  else out << "null";
}

void write_row(std::ostream& out, const ComparisonRow& row) {
  out << fmt::format(R"({{"path": {}, "other_path": {}, "verdict": "{}", "detail": {})",
                     text(row.path), row.other_path.empty() ? "null" : text(row.other_path),
                     to_string(row.verdict), text(row.detail));
  if (row.record)
    out << fmt::format(
        R"(, "record": {{"name": {}, "step": {}, "call": {}, "sequence": {}}}, "growth": {}, )"
        R"("makes_error": {})",
        text(row.record->name), row.record->step, row.record->call, row.record->sequence,
        number(row.growth), row.makes_error);
  if (!row.permutation.empty())
    out << fmt::format(R"(, "permutation": [{}])", fmt::join(row.permutation, ", "));
  if (row.metrics) {
    out << fmt::format(R"(, "shape": [{}])", fmt::join(row.shape, ", "));
    write_metrics(out, *row.metrics);
  }
  out << '}';
}

}  // namespace

void Comparison::write_json(std::ostream& out) const {
  out << fmt::format(
      R"({{"equal": {}, "differences": {}, "coverage": {{"tensors": {}, "values": {}, )"
      R"("elements": {}, "compared_elements": {}, "only_a": {}, "only_b": {}, "nothing": {}, )"
      R"("filtered": {}}}, )",
      is_equal(), differences(), coverage.tensors, coverage.values, coverage.elements,
      coverage.compared_elements, coverage.only_a, coverage.only_b, coverage.nothing,
      coverage.filtered);
  const ComparisonRow* const first = first_divergence();
  out << R"("first_divergence": )";
  if (first == nullptr) out << "null";
  else write_row(out, *first);
  out << R"(, "notes": [)";
  for (std::size_t i = 0; i < notes.size(); ++i) out << (i == 0 ? "" : ", ") << text(notes[i]);
  out << R"(], "suggestions": [)";
  for (std::size_t i = 0; i < suggestions.size(); ++i)
    out << (i == 0 ? "" : ", ")
        << fmt::format(R"({{"from": {}, "to": {}, "reason": {}}})", text(suggestions[i].from),
                       text(suggestions[i].to), text(suggestions[i].reason));
  out << R"(], "rows": [)";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != 0) out << ",\n";
    write_row(out, rows[i]);
  }
  out << "]}\n";
}

}  // namespace safestructures::inline v0
