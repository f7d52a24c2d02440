/// \file
/// The result of a comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/rows.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// A pair of names that may mean the same value.
struct RenameSuggestion {
  std::string from;  ///< The name in the first structure.
  std::string to;    ///< The name in the second structure.
  /// `same statistics`, `like statistics`, `the only ones left of their shape` or `same shape and
  /// place`.
  std::string reason;
};

/// How much was compared, and what was not.
struct Coverage {
  std::uint64_t tensors = 0;            ///< Tensors compared.
  std::uint64_t values = 0;             ///< Other values compared: text, integers, None.
  std::uint64_t statistics = 0;         ///< Tensors compared by their statistics only.
  std::uint64_t elements = 0;           ///< Numbers in these tensors.
  std::uint64_t compared_elements = 0;  ///< Numbers that are finite in both.
  std::uint64_t only_a = 0;             ///< Values and records only in the first.
  std::uint64_t only_b = 0;             ///< Values and records only in the second.
  std::uint64_t nothing = 0;            ///< Tensors without comparable numbers.
  std::uint64_t filtered = 0;           ///< Values left out by `CompareOptions::only` or `ignore`.
  /// Tensors of floating dtypes whose noise is unknown: each run of `CompareOptions::noise` lacks
  /// the tensor in that shape, has no number that is finite on both sides, or has fewer digits.
  std::uint64_t without_noise = 0;
  /// Tensors beyond their tolerance that were excused by noise of at least half their size.
  std::uint64_t large_noise = 0;
};

/// The order of a table's rows.
enum class RowOrder : std::uint8_t {
  /// Furthest beyond its tolerance first, after all rows that differ otherwise. Of recordings, only
  /// the worst call of each path is shown, and in how many of its calls it differs, unless all are.
  worst,
  call,  ///< In the order of the structure, or of the calls.
};

/// Options for writing a comparison as text.
struct TableOptions {
  RowOrder order = RowOrder::worst;  ///< The order of the rows.
  std::size_t rows = 100;            ///< The number of rows shown; the rest is only counted.
  bool all = false;                  ///< Whether to show equal rows, too.
};

/// The result of `compare`. Every tensor has a row; other values have one if they differ.
struct SAFESTRUCTURES_API Comparison {
  ComparisonRows rows;                        ///< In the order of the structure, or of the calls.
  Coverage coverage;                          ///< How much was compared.
  std::vector<RenameSuggestion> suggestions;  ///< Never applied automatically.
  /// For recordings: the layers that make errors, the one that adds most to its input error first.
  std::vector<Culprit> culprits;
  std::vector<std::string> notes;  ///< Other remarks, one line each.
  bool is_of_recordings = false;   ///< Whether recordings were compared.
  bool has_noise = false;          ///< Whether further runs were given.

  /// Returns whether something was compared and nothing differs beyond its tolerance.
  [[nodiscard]] bool is_equal() const noexcept;
  /// Returns the number of rows that are differences.
  [[nodiscard]] std::size_t differences() const noexcept;
  /// Returns the first row that was compared and differs; if there is none, the first row that is
  /// in one side only, else the first container whose size differs. Null if nothing differs. Valid
  /// as long as `rows`.
  [[nodiscard]] const ComparisonRow* first_divergence() const&;
  const ComparisonRow* first_divergence() && = delete;

  /// Writes a table with a line for each row, then what the comparison covered. Safe for a
  /// terminal, whatever the names.
  /// \throws Error `limit_exceeded`, before anything is written, if the names of the shown rows
  /// take more than 64 MiB and 256 bytes each
  void write_text(std::ostream& out, const TableOptions& options = {}) const;
  /// Writes one JSON object in ASCII, with all rows in their order. Missing numbers are `null`.
  /// \throws Error as `write_text`, for the names of all rows
  void write_json(std::ostream& out) const;
};

}  // namespace safestructures::inline v0
