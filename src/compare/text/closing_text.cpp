#include "compare/text/text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "compare/rows/row_store.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Returns one line for each suspicion, in order of the culprits if there are any, else of the
/// rows; no more than fit on a screen.
std::vector<std::string> suspicion_lines(const Comparison& comparison) {
  constexpr std::size_t most = 10;
  std::vector<std::size_t> rows;
  rows.reserve(comparison.culprits.size());
  for (const Culprit& culprit : comparison.culprits) rows.push_back(culprit.row);
  if (const RowStore* const store = RowStore::of(comparison.rows))
    store->visit(
        [&](std::size_t i, const ComparisonRow& row) {
          if (!row.suspicions.empty() && std::ranges::find(rows, i) == rows.end())
            rows.push_back(i);
        },
        [](std::size_t, std::size_t) {});
  std::vector<std::string> lines;
  std::size_t more = 0;
  for (const std::size_t place : rows) {
    const ComparisonRow& row = comparison.rows[place];
    for (const Suspicion& suspicion : row.suspicions) {
      if (lines.size() == most) {
        ++more;
        continue;
      }
      const std::string where = row.record ? fmt::format("{}, step {} call {}", row.path,
                                                         row.record->step, row.record->call)
                                           : row.path;
      lines.push_back("suspicion: " + where + ": " + suspicion_text(suspicion));
    }
  }
  if (more != 0) lines.push_back("... " + detail::counted(more, "suspicion") + " more");
  return lines;
}

std::string coverage_text(const Comparison& comparison) {
  const Coverage& coverage = comparison.coverage;
  std::string text = fmt::format(
      "compared {}, {} of {} finite in both, and {}", detail::counted(coverage.tensors, "tensor"),
      coverage.compared_elements, detail::counted(coverage.elements, "number"),
      detail::counted(coverage.values, "other value"));
  if (coverage.statistics != 0)
    text += "; " + detail::counted(coverage.statistics, "tensor") + " by statistics";
  if (coverage.only_a + coverage.only_b != 0)
    text += fmt::format("; {} only in a, {} only in b", coverage.only_a, coverage.only_b);
  if (coverage.nothing != 0)
    text += "; " + detail::counted(coverage.nothing, "tensor") + " with nothing to compare";
  if (coverage.filtered != 0) text += fmt::format("; {} left out by the filter", coverage.filtered);
  return text;
}

/// Whether all numbers are finite and all of b is 0, so that no error can be relative to it.
bool is_beside_zeros(const ComparisonRow& row) {
  if (row.metrics)
    return row.metrics->snr_state == SnrState::zero_reference &&
           row.metrics->non_finite.differing() == 0;
  // Without a distance, the counts of NaN or infinities differ.
  return row.statistics && row.statistics->norm_b == 0 && row.statistics->distance;
}

/// Returns the text for an error, or the reason why there is no number, given its row.
/// \param before text before a number
std::string error_text(const std::optional<double>& error, const ComparisonRow& row,
                       std::string_view before = {}) {
  if (error) return std::string(before) + short_number(*error);
  switch (row.verdict) {
    case Verdict::value:
    case Verdict::dtype:
    case Verdict::shape:
    case Verdict::size:
    case Verdict::kind: return "different " + std::string(to_string(row.verdict));
    default: break;
  }
  return std::string(before) +
         (is_beside_zeros(row) ? "not measurable, as b is zero" : "NaN or infinite");
}

}  // namespace

std::string culprit_text(const Comparison& comparison, const Culprit& culprit) {
  const ComparisonRow& row = comparison.rows[culprit.row];
  const ErrorOrigin& origin = *row.origin;
  std::string came;
  std::string input;
  if (origin.input_row) {
    const ComparisonRow& source = comparison.rows[*origin.input_row];
    came = error_text(origin.input_error, source);
    input = source.record->name;
  }
  std::string text = fmt::format("{}, step {} call {}: {}", culprit.name, row.record->step,
                                 row.record->call, error_text(origin.error, row, "error "));
  switch (origin.evidence) {
    case InputEvidence::none:
      text += "; nothing was recorded before it in its step and thread";
      break;
    case InputEvidence::recorded:
      text += fmt::format(", but {} in its input {}", came, input);
      break;
    case InputEvidence::same_shape:
    case InputEvidence::other_shape:
      text +=
          fmt::format(", but {} in {}, which was recorded before it{}", came, input,
                      origin.evidence == InputEvidence::same_shape ? "" : " and has another shape");
      break;
  }
  if (culprit.calls > 1) text += fmt::format("; in {} of its calls", culprit.calls);
  return text;
}

std::string suspicion_text(const Suspicion& suspicion) {
  std::string text = suspicion.fault + ": " + suspicion.evidence;
  if (suspicion.explained)
    text += fmt::format("; {:.4g} % of the squared difference", 100 * *suspicion.explained);
  return text;
}

std::vector<std::string> closing_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  lines.reserve(comparison.suggestions.size() + comparison.notes.size() + 4);
  for (const RenameSuggestion& one : comparison.suggestions)
    lines.push_back("maybe the same: " + detail::printable(one.from) + " = " +
                    detail::printable(one.to) + " (" + one.reason + ")");
  for (const std::string& note : comparison.notes)
    lines.push_back("note: " + detail::printable(note));
  if (const ComparisonRow* const first = comparison.first_divergence())
    lines.push_back("first divergence: " + detail::printable(place_text(*first)));
  constexpr std::size_t most_culprits = 5;
  const std::vector<Culprit>& culprits = comparison.culprits;
  for (std::size_t i = 0; i < std::min(culprits.size(), most_culprits); ++i)
    lines.push_back("makes an error: " + detail::printable(culprit_text(comparison, culprits[i])));
  if (culprits.size() > most_culprits)
    lines.push_back("... " + detail::counted(culprits.size() - most_culprits, "layer") + " more");
  for (const std::string& line : suspicion_lines(comparison))
    lines.push_back(detail::printable(line));
  lines.push_back(coverage_text(comparison));
  const std::size_t different = comparison.differences();
  if (different != 0) lines.push_back("different: " + detail::counted(different, "difference"));
  else if (!comparison.is_equal()) lines.emplace_back("not equal: nothing was compared");
  else lines.emplace_back("equal within tolerance");
  return lines;
}

}  // namespace safestructures::inline v0::comparing
