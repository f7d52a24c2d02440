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

  /// The bytes of a row's tensors, and their metrics.
  struct Sides {
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    const CompactMetrics* metrics = nullptr;  ///< Null if no byte differs.
  };
  /// Sets the noise of the row that was added as number `i`, and the verdict based on it.
  /// \returns false if it must be compared as a whole
  [[nodiscard]] bool judge(std::size_t i, const Sides& sides, const CompactKind& kind,
                           RowMetrics& metrics, CompactRow& row, CompactNoise& noise) const;

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
  struct Run {
    const Noise::Run* noise = nullptr;
    recording::RecordCursor records;
    std::vector<Names> names;  // Indexed by kind.
    std::vector<Found> found;
    std::size_t read = 0;  // How many of those found were read.
    RowBytes bytes;
  };

  /// The call numbers of a record and its partner.
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
