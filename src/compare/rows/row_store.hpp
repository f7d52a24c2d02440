/// \file
/// Stores the rows of a comparison.
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

/// The facts about a record's row that show where an error began.
struct RowFacts {
  std::string_view name;       ///< The record's name; valid as long as the store.
  std::int64_t step = 0;       ///< The record's step.
  std::uint64_t sequence = 0;  ///< The record's sequence number.
  Verdict verdict = Verdict::equal;
  double error = 0;              ///< Relative L2; infinite if the row has no measure.
  double least = 0;              ///< The error below which no layer gets.
  const Shape* shape = nullptr;  ///< Shape of the compared numbers; null if there are none.
};

/// Rows in order, some stored whole, others compact.
class RowStore {
 public:
  /// Gives a comparison's rows a store, which lives as long as they do.
  static RowStore& make_for(ComparisonRows& rows);
  /// Returns the store of rows; null if there is none.
  static const RowStore* of(const ComparisonRows& rows) noexcept { return rows.store_.get(); }
  static RowStore* of(ComparisonRows& rows) noexcept { return rows.store_.get(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Returns a copy of a row.
  [[nodiscard]] ComparisonRow row(std::size_t index) const;
  /// Returns a row whose address is stable, for users. Safe to call from several threads at once.
  [[nodiscard]] const ComparisonRow& kept(std::size_t index) const;
  /// Returns the index of `Comparison::first_divergence`.
  [[nodiscard]] std::optional<std::size_t> first_divergence() const noexcept;
  [[nodiscard]] Verdict verdict(std::size_t index) const noexcept;
  /// Counts over all rows.
  [[nodiscard]] std::size_t differences() const noexcept;
  /// Returns the facts about a row of a comparison of recordings.
  [[nodiscard]] RowFacts facts(std::size_t index) const;

  /// Adds a row that is stored whole. The reference is valid until the next `add`.
  ComparisonRow& add();
  /// Removes the row that was added last.
  void take_back() noexcept;
  /// Adds `count` rows, stored after the others in `compact`.
  void add_compact(std::size_t count);

  /// Returns a row, stored whole from now on. The reference is valid until a row is added.
  ComparisonRow& whole(std::size_t index);
  /// Returns a row if it is stored whole; null for others.
  [[nodiscard]] const ComparisonRow* whole_or_null(std::size_t index) const noexcept;
  /// Whether a row was added as a compact one, even if it has become whole.
  [[nodiscard]] bool is_compact(std::size_t index) const noexcept {
    return stretch_of(index).is_compact;
  }
  /// Returns the index of such a row among the compact ones.
  [[nodiscard]] std::size_t compact_place(std::size_t index) const noexcept;
  /// Returns the index of a compact row among all.
  [[nodiscard]] std::size_t place_of_compact(std::size_t row) const noexcept;
  /// Consecutive compact rows, none of which has become whole.
  struct CompactRun {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t first = 0;  ///< Index of the first among the compact rows.
  };
  [[nodiscard]] CompactRun compact_run(std::size_t index) const noexcept;
  /// Visits all rows in order, run by run: looking up each row took longer than the actual work.
  /// \param whole called with the index of a row that is stored whole, and the row
  /// \param compact called with the index of a compact row among all, and among the compact ones
  template <typename Whole, typename Compact>
  void visit(const Whole& whole, const Compact& compact) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const CompactRun run = compact_run(i);
      for (; i < run.end; ++i) compact(i, run.first + (i - run.begin));
      if (i < size_) whole(i, *whole_or_null(i));
    }
  }
  /// Whether a row is compact and has not become whole.
  [[nodiscard]] bool is_kept_compact(std::size_t index) const noexcept;
  [[nodiscard]] CompactRows& compact() noexcept { return compact_; }
  [[nodiscard]] const CompactRows& compact() const noexcept { return compact_; }

 private:
  /// Consecutive rows that were added in the same form.
  struct Stretch {
    std::size_t begin = 0;  // Index of the first among all.
    std::size_t first = 0;  // Its index among those of its form.
    bool is_compact = false;
  };
  [[nodiscard]] const Stretch& stretch_of(std::size_t index) const noexcept;
  void extend(bool is_compact, std::size_t first, std::size_t count);

  std::size_t size_ = 0;
  std::vector<Stretch> stretches_;
  std::vector<ComparisonRow> whole_;
  CompactRows compact_;
  // Compact rows that became whole, by their indices among the compact ones.
  std::map<std::size_t, ComparisonRow> made_whole_;
  // Rows that users asked for, by their indices among all.
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::size_t, ComparisonRow> kept_;
};

}  // namespace safestructures::inline v0::comparing
