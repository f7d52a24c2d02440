/// \file
/// The noise of records that are small tensors, thousands at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/noise/noise.hpp"
#include "compare/rows/compact_rows.hpp"
#include "compare/rows/row_bytes.hpp"
#include "compare/rows/row_metrics.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// Reads what further runs have of the rows of a piece, and finds their noise. Each thread has one
/// of its own.
class SmallNoise {
 public:
  /// \param a the first recording \param rows say which other calls its partners are
  SmallNoise(const Noise& noise, const recording::RecordTable& a, const CompactRows& rows);

  /// Forgets all rows.
  void clear();
  /// One more that is needed, with its kind.
  void add(const CompactRow& row, const CompactKind& kind);
  /// Has the bytes of all at hand until the next call of `clear`. \throws Error what a source
  /// throws
  void read();

  /// The bytes of a row's tensors, and what is between them.
  struct Sides {
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    const CompactMetrics* metrics = nullptr;  ///< Null where no byte differs.
  };
  /// Fills in the noise of the row that was added as number `i`, and its verdict by it.
  /// \returns false where it must be looked at as a whole
  [[nodiscard]] bool judge(std::size_t i, const Sides& sides, const CompactKind& kind,
                           RowMetrics& metrics, CompactRow& row, CompactNoise& noise) const;

 private:
  /// What a run has of a row.
  struct Found {
    const Value* value = nullptr;  // The tensor, or what it is a row of; null where there is none.
    std::size_t place = 0;         // In the run's bytes.
    bool is_odd = false;           // Must be looked at as a whole.
  };
  /// Where names of a kind are among those of a run.
  struct Names {
    bool are_known = false;
    std::optional<std::uint32_t> name;
    std::optional<std::uint32_t> other_name;
  };
  struct Run {
    const Noise::Run* noise = nullptr;
    recording::RecordCursor records;
    std::vector<Names> names;  // By kinds.
    std::vector<Found> found;
    std::size_t read = 0;  // Of those that were found.
    RowBytes bytes;
  };

  /// Numbers of a call and of its partner.
  struct Calls {
    std::uint64_t of_a = 0;
    std::uint64_t of_b = 0;
  };
  [[nodiscard]] static Found find(Run& run, std::int64_t step, const Calls& calls,
                                  const CompactRow& row, const CompactKind& kind);

  const Noise& noise_;
  recording::RecordCursor records_;
  const CompactRows& rows_;
  std::vector<Run> runs_;
};

}  // namespace safestructures::inline v0::comparing
