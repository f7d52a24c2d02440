/// \file
/// Compares a piece of the records that are small tensors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compare/noise/noise.hpp"
#include "compare/pairing/record_pairs.hpp"
#include "compare/rows/compact_rows.hpp"
#include "compare/small/row_bytes.hpp"
#include "compare/small/row_kinds.hpp"
#include "compare/small/row_metrics.hpp"
#include "compare/small/small_noise.hpp"

namespace safestructures::inline v0::comparing {

/// Returns the row of a pair that was not compared yet. \param kind its index
[[nodiscard]] inline CompactRow compact_row(const RecordPair& pair, std::uint32_t kind) {
  CompactRow row;
  row.record = static_cast<std::uint32_t>(pair.a);
  row.kind = kind;
  row.match = pair.match;
  return row;
}

/// Allocates indices of metrics for one thread.
class MetricsPlaces {
 public:
  /// \param taken shared by all threads \param together how many indices to take at once
  MetricsPlaces(std::atomic<std::size_t>& taken, std::size_t together)
      : taken_(&taken), together_(together) {}

  [[nodiscard]] std::size_t next() {
    if (next_ == end_) end_ = (next_ = taken_->fetch_add(together_)) + together_;
    return next_;
  }
  void use() noexcept { ++next_; }

 private:
  std::atomic<std::size_t>* taken_;
  std::size_t together_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

/// One thread's part of the work. A piece is a range of compact rows: their kinds are found or
/// looked up, then they are compared.
class PieceWorker {
 public:
  /// Both sides of a piece fit into a second-level cache.
  static constexpr std::uint64_t most_bytes = std::uint64_t{128} << 10U;

  /// \param noise the further runs, of which there may be none \param rows of all pieces
  PieceWorker(const PairedRecordings& recordings, const Noise& noise, CompactRows& rows,
              const RowKinds::Finder& finder, const MetricsPlaces& places);

  /// Makes the rows of a piece, one for each pair, and finds their kinds. \returns false if one has
  /// none
  [[nodiscard]] bool find(std::size_t begin, std::size_t count);
  /// Looks up the kinds of rows that were made before.
  void look_up(std::size_t begin, std::size_t count);
  /// Compares the rows whose kinds were found or looked up last. \returns their bytes
  std::uint64_t compare(std::size_t begin, std::size_t count);

  /// What was compared.
  struct Done {
    std::vector<std::size_t> unusual;  ///< Compact rows that must be compared as whole ones.
    std::uint64_t tensors = 0;
    std::uint64_t elements = 0;
    std::uint64_t compared_elements = 0;
    std::uint64_t without_noise = 0;
    std::uint64_t large_noise = 0;
  };
  [[nodiscard]] const Done& done() const noexcept { return done_; }

 private:
  using Kinds = std::span<const CompactKind* const>;
  /// Reads the bytes of some rows. \param kinds of the rows from `begin` on \returns how many rows
  std::size_t read(std::size_t begin, Kinds kinds);
  /// Compares rows whose bytes were read. \returns their bytes
  std::uint64_t compare(std::size_t begin, Kinds kinds);
  /// Sets the noise of a row, and the verdict based on it. \param i its number among those read
  /// \returns false if it must be compared as a whole
  [[nodiscard]] bool judge_by_noise(std::size_t i, const SmallNoise::Sides& sides, CompactRow& row,
                                    CompactNoise& noise);

  const PairedRecordings& recordings_;
  CompactRows& rows_;
  RowKinds::Finder finder_;
  std::vector<const CompactKind*> kinds_;  // For the rows of a piece.

  RowBytes bytes_a_;
  RowBytes bytes_b_;
  std::unique_ptr<RowMetrics> metrics_ = std::make_unique_for_overwrite<RowMetrics>();
  MetricsPlaces places_;
  std::optional<SmallNoise> noise_;  // Null if there are no further runs.
  Done done_;
};

}  // namespace safestructures::inline v0::comparing
