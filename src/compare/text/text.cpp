#include "compare/text/text.hpp"

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "compare/rows/record_error.hpp"
#include "compare/rows/row_store.hpp"
#include "data/text/number.hpp"
#include "data/text/short_number.hpp"

namespace safestructures::inline v0 {

namespace comparing {
namespace {

/// Appends an element; a number held in a float with the digits that tell it from other floats.
void append_element(std::string& text, const Value& value, bool is_short) {
  if (value.kind() != Kind::floating) {
    text += detail::python_str(value);
    return;
  }
  const double number = value.as_double();
  const auto narrow = static_cast<float>(number);
  if (is_short && static_cast<double>(narrow) == number)
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), narrow);
  else fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), number);
}

template <std::integral Integer>
void append_integer(std::string& text, Integer number) {
  std::array<char, std::numeric_limits<std::uint64_t>::digits10 + 2> digits;
  text.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_index(std::string& text, const ComparisonRow& row) {
  std::uint64_t rest = row.metrics->worst->index;
  std::vector<std::uint64_t> index(row.shape.size());
  for (std::size_t i = index.size(); i-- > 0;) {
    index[i] = rest % row.shape[i];
    rest /= row.shape[i];
  }
  text += '[';
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (i != 0) text += ", ";
    append_count(text, index[i]);
  }
  text += ']';
}

}  // namespace

void append_count(std::string& text, std::uint64_t count) { append_integer(text, count); }

void append_step(std::string& text, std::int64_t step) { append_integer(text, step); }

void append_short(std::string& text, double number) {
  if (number == 0) {
    text += '0';
    return;
  }
  detail::append_scientific(text, number);
}

std::string short_number(double number) {
  std::string text;
  append_short(text, number);
  return text;
}

void append_worst(std::string& text, const ComparisonRow& row) {
  const WorstElement& worst = *row.metrics->worst;
  text += "worst at ";
  append_index(text, row);
  text += ": ";
  const std::size_t begin = text.size();
  // A float next to a double may need more digits.
  for (const bool is_short : {true, false}) {
    text.resize(begin);
    append_element(text, worst.a, is_short);
    const std::size_t end = text.size();
    text += " and ";
    const std::size_t other = text.size();
    append_element(text, worst.b, is_short);
    const std::string_view all = text;
    if (all.substr(begin, end - begin) != all.substr(other)) break;
  }
}

void add_names(const Comparison& comparison, std::size_t row, detail::PathText& printed) {
  const RowStore& rows = *RowStore::of(comparison.rows);
  std::optional<std::size_t> input_row;
  if (const ComparisonRow* const whole = rows.whole_or_null(row)) {
    printed.add(whole->path);
    printed.add(whole->other_path);
    if (whole->origin) input_row = whole->origin->input_row;
  } else {
    const std::size_t place = rows.compact_place(row);
    const CompactRows& compact = rows.compact();
    const CompactKind& kind = compact.kinds[compact.rows[place].kind];
    printed.add(kind.path);
    printed.add(kind.other_path);
    input_row = compact.traced(place).input_row;
  }
  if (input_row) printed.add(rows.facts(*input_row).name);
}

std::string place_text(const ComparisonRow& row) {
  std::string text;
  if (row.record) text = fmt::format("step {}, call {} of ", row.record->step, row.record->call);
  text += row.path;
  if (is_lone(row.verdict)) text.append(", ").append(to_string(row.verdict));
  if (row.metrics && row.metrics->worst) {
    text += ", ";
    append_worst(text, row);
  } else if (!row.detail.empty()) {
    text += ": " + row.detail;
  }
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
           {"without_noise", coverage.without_noise},
           {"large_noise", coverage.large_noise}}};
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

}  // namespace safestructures::inline v0
