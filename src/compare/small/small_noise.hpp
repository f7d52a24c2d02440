/// \file
/// The noise of records that are small tensors, thousands at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/noise/noise.hpp"
#include "compare/rows/compact_rows.hpp"
#include "compare/small/row_bytes.hpp"
#include "compare/small/row_metrics.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// Reads the counterparts in further runs of some rows, and computes their noise. Each thread has
/// its own.
class SmallNoise {
 public:
  /// \param a the first recording \param rows map each call to its partner's
  SmallNoise(const Noise& noise, const recording::RecordTable& a, const CompactRows& rows);

  /// Forgets all rows.
  void clear();
  /// Adds a row whose noise is needed, with its kind.
  void add(const CompactRow& row, const CompactKind& kind);
  /// Reads the bytes of all rows, which stay valid until `clear`. \throws Error whatever a source
  /// throws
  void read();

  /// What is known about a row's tensors.
  struct Sides {
    const CompactKind& kind;
    const std::byte* a = nullptr;             ///< The bytes.
    const std::byte* b = nullptr;             ///< The bytes.
    const CompactMetrics* metrics = nullptr;  ///< Null if no byte differs.
  };
  /// Sets the noise of the row that was added as number `i`, and the verdict based on it.
  /// \param room for computing distances \returns false if it must be compared as a whole
  [[nodiscard]] bool judge(std::size_t i, const Sides& sides, RowMetrics& room, CompactRow& row,
                           CompactNoise& noise) const;

 private:
  /// A run's counterpart of a row.
  struct Found {
    const Value* value = nullptr;  // The tensor, or the one it is a row of; null if none.
    std::size_t place = 0;         // In the run's bytes.
    bool is_odd = false;           // Must be compared as a whole.
  };
  /// The indices of a kind's names among the names of a run.
  struct Names {
    bool are_known = false;
    std::optional<std::uint32_t> name;
    std::optional<std::uint32_t> other_name;
  };
  /// The step of a record and its partner, and their call numbers.
  struct Calls {
    std::int64_t step = 0;
    std::uint64_t of_a = 0;
    std::uint64_t of_b = 0;
  };
  /// One further run.
  class Run {
   public:
    explicit Run(const Noise::Run& run) : noise_(&run), records_(run.records->table()) {}

    void clear();
    void add(const Calls& calls, const CompactRow& row, const CompactKind& kind);
    void read() { bytes_.read(); }
    [[nodiscard]] const Found& operator[](std::size_t i) const { return found_[i]; }
    [[nodiscard]] RowMetrics::Numbers numbers(const Found& found, std::size_t count) const;

   private:
    [[nodiscard]] const Names& names_of(const CompactRow& row, const CompactKind& kind);
    /// \param place index of the record
    [[nodiscard]] Found take(std::size_t place, const CompactKind& kind);
    /// Returns that there is no such record of its own; but a part of another may have the name.
    [[nodiscard]] Found none() const { return {.is_odd = !noise_->nodes.empty()}; }
    [[nodiscard]] Found find(const Calls& calls, const CompactRow& row, const CompactKind& kind);

    const Noise::Run* noise_;
    recording::RecordCursor records_;
    std::vector<Names> names_;  // Indexed by kind.
    std::vector<Found> found_;
    std::size_t taken_ = 0;  // How many of those found have bytes.
    RowBytes bytes_;
  };

  const Noise& noise_;
  recording::RecordCursor records_;
  const CompactRows& rows_;
  std::vector<Run> runs_;
};

}  // namespace safestructures::inline v0::comparing
