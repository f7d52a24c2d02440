/// \file
/// What a comparison found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/rows.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

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
  std::uint64_t filtered = 0;           ///< Left out by `CompareOptions::only` or `ignore`.
  /// Tensors of floating dtypes of which no run of `CompareOptions::noise` tells the noise: it has
  /// none of that shape, no number that is finite on both sides, or fewer digits.
  std::uint64_t without_noise = 0;
  /// Tensors beyond their tolerance that were excused by noise of half their size or more.
  std::uint64_t large_noise = 0;
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
  ComparisonRows rows;                        ///< In the order of the structure, or of the calls.
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
  [[nodiscard]] const ComparisonRow* first_divergence() const&;
  const ComparisonRow* first_divergence() && = delete;

  /// A table with a line for each row, then what the comparison covered. Safe for a terminal,
  /// whatever the names.
  /// \throws Error `limit_exceeded`, before anything is written, where the names of the rows that
  /// it shows take more than 64 MiB and 256 bytes each
  void write_text(std::ostream& out, const ComparisonText& options = {}) const;
  /// One JSON object in ASCII, with all rows in their order. Numbers that do not exist are `null`.
  /// \throws Error as `write_text`, for the names of all rows
  void write_json(std::ostream& out) const;
};

}  // namespace safestructures::inline v0
