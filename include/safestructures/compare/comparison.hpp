/// \file
/// What a comparison found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/boxed.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0 {

/// What was found of one path.
enum class Verdict : std::uint8_t {
  equal,      ///< the same numbers
  close,      ///< within the tolerance
  nothing,    ///< no number was compared: the tensor is empty, or nowhere finite in both
  different,  ///< beyond the tolerance
  value,      ///< another value of one kind: text, an integer, a bool
  dtype,      ///< another dtype, where that is asked for
  shape,      ///< another shape
  size,       ///< a container of another size
  kind,       ///< another kind of value
  only_a,     ///< in the first only
  only_b,     ///< in the second only
};

/// The name of it, as the table has it: `"only in a"`.
SAFESTRUCTURES_API std::string_view to_string(Verdict verdict) noexcept;

/// True for all but `equal`, `close` and `nothing`.
[[nodiscard]] constexpr bool is_difference(Verdict verdict) noexcept {
  return verdict > Verdict::nothing;
}

/// Which record of two recordings a row is about.
struct RecordPlace {
  std::string name;            ///< With the scopes in front.
  std::int64_t step = 0;       ///< As in `Record`.
  std::uint64_t call = 0;      ///< Calls of that name before it.
  std::uint64_t sequence = 0;  ///< Its place among all records of its recording.
};

/// A row of a table.
struct ComparisonRow {
  /// `/layers/0/weight`; of a record its name, then the path in it unless that is the root.
  std::string path;
  std::string other_path;            ///< In the second structure, where it is another.
  Verdict verdict = Verdict::equal;  ///< What came of it.
  std::string detail;  ///< What differs, in words: `[2, 3] and [3, 2]`. Not printable as it is.
  std::optional<TensorMetrics> metrics;  ///< Of two tensors of one shape.
  /// Of tensors of one shape of which one side or both have the statistics alone.
  Boxed<StatisticsMetrics> statistics;
  Boxed<NoiseFloor> noise;            ///< Where a further run has this tensor.
  std::optional<RecordPlace> record;  ///< Of recordings.
  Shape shape;                        ///< Of both tensors, where there are metrics.
  /// Of a record: its relative L2 over the largest of the records before it in the same step.
  /// Nothing where those have no error.
  std::optional<double> growth;
  /// Of a record beyond its tolerance: whether its error is new, more than twice what came in
  /// (where that is a guess: than the largest before it in its step), or passed on.
  bool makes_error = false;
  /// Of a record with numbers: what went into its layer, and how the error grew in it.
  std::optional<ErrorOrigin> origin;
  /// Which faults would make the difference, the best explanation first.
  std::vector<Suspicion> suspicions;
  /// The order of a's dimensions that gives b, recognised and never passed: as `Tensor::permute`.
  std::vector<std::size_t> permutation;
};

/// A pair of names that may be one.
struct RenameSuggestion {
  std::string from;    ///< In the first structure.
  std::string to;      ///< In the second.
  std::string reason;  ///< `same numbers`
};

/// How much was compared, and what was not.
struct Coverage {
  std::uint64_t tensors = 0;            ///< Compared.
  std::uint64_t values = 0;             ///< All other values compared: text, integers, None.
  std::uint64_t statistics = 0;         ///< Tensors compared by their statistics alone.
  std::uint64_t elements = 0;           ///< Numbers of the tensors.
  std::uint64_t compared_elements = 0;  ///< Those that are finite in both.
  std::uint64_t only_a = 0;             ///< Values and records in the first only.
  std::uint64_t only_b = 0;             ///< Values and records in the second only.
  std::uint64_t nothing = 0;            ///< Tensors without a number to compare.
  std::uint64_t filtered = 0;           ///< Left out by `CompareOptions::only`.
  /// Tensors of floating dtypes that no run of `CompareOptions::noise` has.
  std::uint64_t without_noise = 0;
};

/// The order of a table.
enum class RowOrder : std::uint8_t {
  worst,  ///< what is furthest beyond its tolerance first, what differs otherwise before all
  call,   ///< the order of the structure, or of the calls
};

/// How a comparison is written as text.
struct ComparisonText {
  RowOrder order = RowOrder::worst;  ///< Of the rows.
  std::size_t rows = 100;            ///< How many are shown; the rest is counted.
  bool all = false;                  ///< Whether rows that are equal are shown too.
};

/// The result of `compare`. All tensors have a row, other values where they differ.
struct SAFESTRUCTURES_API Comparison {
  std::vector<ComparisonRow> rows;            ///< In the order of the structure, or of the calls.
  Coverage coverage;                          ///< How much was compared.
  std::vector<RenameSuggestion> suggestions;  ///< Never applied by themselves.
  /// Of recordings: which layers make errors, the one that adds most to what came in first.
  std::vector<Culprit> culprits;
  std::vector<std::string> notes;  ///< What else one should know, a line each.
  bool is_of_recordings = false;   ///< Whether rows have records.
  bool has_noise = false;          ///< Whether there were further runs.

  /// Whether something was compared and nothing differs beyond its tolerance.
  [[nodiscard]] bool is_equal() const noexcept;
  /// Rows that are differences.
  [[nodiscard]] std::size_t differences() const noexcept;
  /// The first row in order that was compared and differs; where there is none, the first that is
  /// in one only, else the first container of another size. Null where nothing differs. Valid as
  /// long as `rows`.
  [[nodiscard]] const ComparisonRow* first_divergence() const& noexcept;
  const ComparisonRow* first_divergence() && = delete;

  /// A table with a line for each row, then what the comparison covered. Safe for a terminal,
  /// whatever the names.
  void write_text(std::ostream& out, const ComparisonText& options = {}) const;
  /// One JSON object in ASCII, with all rows in their order. Numbers that do not exist are `null`.
  void write_json(std::ostream& out) const;
};

}  // namespace safestructures::inline v0
