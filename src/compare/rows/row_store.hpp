/// \file
/// The rows of a comparison as they are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <safestructures/compare/rows.hpp>
#include "compare/rows/compact_rows.hpp"

namespace safestructures::inline v0::comparing {

/// What of a row about a record says where an error began.
struct RowFacts {
  std::string_view name;       ///< Of the record, as long as the store.
  std::int64_t step = 0;       ///< Of the record.
  std::uint64_t sequence = 0;  ///< Of the record.
  Verdict verdict = Verdict::equal;
  double error = 0;              ///< Relative L2; infinite where it has no measure.
  double least = 0;              ///< What no layer does better.
  const Shape* shape = nullptr;  ///< Of numbers that were compared; null where there are none.
};

/// Rows in their order: those that are kept whole, and compact ones.
class RowStore {
 public:
  /// Gives a comparison's rows a store, which lives as long as they do.
  static RowStore& make_for(ComparisonRows& rows);
  /// That of rows; null where there is none.
  static const RowStore* of(const ComparisonRows& rows) noexcept { return rows.store_.get(); }
  static RowStore* of(ComparisonRows& rows) noexcept { return rows.store_.get(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// A copy of a row.
  [[nodiscard]] ComparisonRow row(std::size_t index) const;
  /// A row that stays where it is, for users. May be called by several threads at once.
  [[nodiscard]] const ComparisonRow& kept(std::size_t index) const;
  /// The place of `Comparison::first_divergence`.
  [[nodiscard]] std::optional<std::size_t> first_divergence() const noexcept;
  [[nodiscard]] Verdict verdict(std::size_t index) const noexcept;
  /// Of all rows.
  [[nodiscard]] std::size_t differences() const noexcept;
  /// Of a comparison of recordings.
  [[nodiscard]] RowFacts facts(std::size_t index) const;

  /// Adds a row that is kept whole. The reference is valid until the next.
  ComparisonRow& add();
  /// Takes back the last that was added.
  void take_back() noexcept;
  /// Adds that many rows, which stand behind the others in `compact`.
  void add_compact(std::size_t count);

  /// The row at a place, kept whole from now on. The reference is valid until one is added.
  ComparisonRow& whole(std::size_t index);
  /// The row at a place where that is kept whole; null for others.
  [[nodiscard]] const ComparisonRow* whole_or_null(std::size_t index) const noexcept;
  /// Whether a row was added as a compact one, whether or not it became whole.
  [[nodiscard]] bool is_compact(std::size_t index) const noexcept {
    return stretch_of(index).is_compact;
  }
  /// The place of such a row among the compact ones.
  [[nodiscard]] std::size_t compact_place(std::size_t index) const noexcept;
  /// The place of a compact row among all.
  [[nodiscard]] std::size_t place_of_compact(std::size_t row) const noexcept;
  /// Rows from a place on that are compact, none of which became whole.
  struct CompactRun {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t first = 0;  ///< The place of the first among the compact ones.
  };
  [[nodiscard]] CompactRun compact_run(std::size_t index) const noexcept;
  /// Goes through all rows in their order, in runs: a look for each row took longer than what is
  /// looked for. \param whole called with the place of a row that is kept whole, and the row
  /// \param compact called with the place of another among all, and among the compact ones
  template <typename Whole, typename Compact>
  void visit(const Whole& whole, const Compact& compact) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const CompactRun run = compact_run(i);
      for (; i < run.end; ++i) compact(i, run.first + (i - run.begin));
      if (i < size_) whole(i, *whole_or_null(i));
    }
  }
  /// Whether a row is compact, and did not become whole.
  [[nodiscard]] bool is_kept_compact(std::size_t index) const noexcept;
  [[nodiscard]] CompactRows& compact() noexcept { return compact_; }
  [[nodiscard]] const CompactRows& compact() const noexcept { return compact_; }

 private:
  /// Rows of one kind that follow each other.
  struct Stretch {
    std::size_t begin = 0;  // Place of the first among all.
    std::size_t first = 0;  // Its place among those of its kind.
    bool is_compact = false;
  };
  [[nodiscard]] const Stretch& stretch_of(std::size_t index) const noexcept;
  void extend(bool is_compact, std::size_t first, std::size_t count);

  std::size_t size_ = 0;
  std::vector<Stretch> stretches_;
  std::vector<ComparisonRow> whole_;
  CompactRows compact_;
  // Compact rows that became whole, by their places among the compact ones.
  std::map<std::size_t, ComparisonRow> made_whole_;
  // What users asked for, by places among all.
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::size_t, ComparisonRow> kept_;
};

}  // namespace safestructures::inline v0::comparing
