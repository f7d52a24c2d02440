/// \file
/// Rows about pairs of small records, in as few bytes as possible.
///
/// Making a row of some 800 bytes for each record of 256 took ten times as long as reading both
/// records; most of it was the first touch of its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/rows.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include "compare/metrics/totals.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// A record's error relative to others.
struct TracedError {
  InputEvidence evidence = InputEvidence::none;
  std::optional<std::size_t> input_row;
  double beside = 0;  ///< The error that this one is measured against.
  double before = 0;  ///< The largest earlier error in its step.
};

/// What all rows of a pair of names share.
struct CompactKind {
  std::string path;        ///< The name in the first recording.
  std::string other_path;  ///< The name in the second recording, if different.
  std::string detail;      ///< As in `ComparisonRow`.
  Shape shape;             ///< Of each record.
  std::size_t count = 0;   ///< Numbers in each record.
  /// Bytes of each record.
  /// @{
  std::size_t size_a = 0;
  std::size_t size_b = 0;
  /// @}
  /// Float dtypes of at most 32 bits.
  /// @{
  DType dtype_a = DType::F32;
  DType dtype_b = DType::F32;
  /// @}
  Tolerance tolerance;
  /// The grids of the less and the more precise side.
  /// @{
  Grid grid;
  Grid finer_grid;
  /// @}
  bool has_words = false;            ///< Whether both sides are 16-bit numbers of the grid's dtype.
  bool has_given_tolerance = false;  ///< Whether the options set it.
  double least_error = 0;            ///< As in `RowFacts`.
  /// Whether a tensor of that shape may be recognised as one with permuted dimensions.
  bool may_be_permuted = false;
};

/// The values, all finite, from which the metrics of a row are computed if its bytes differ, or not
/// all of its numbers are finite.
struct CompactMetrics {
  double errors;
  double absolute;
  double squares;
  double a_squares;
  double b_squares;
  double square_difference;
  double max_absolute;
  double max_ratio;
  double max_relative;
  double largest_b;
  float worst_a;
  float worst_b;
  std::uint32_t max_ulp;
  std::uint16_t common_bits;
  std::uint16_t differing;
  std::uint16_t beyond;
  std::uint16_t worst;
  /// As in `NonFiniteCounts`; no other number is infinite or NaN.
  /// @{
  std::uint16_t nan_both;
  std::uint16_t infinity_both;
  /// @}

  /// Returns how many numbers are finite. \param count of all
  [[nodiscard]] std::size_t compared(std::size_t count) const noexcept {
    return count - nan_both - infinity_both;
  }
};

/// One row.
struct CompactRow {
  static constexpr std::uint32_t none = UINT32_MAX;

  /// For an exact row the sum of squares of either side; for others the relative L2, or that
  /// outside masks if it is larger; NaN if there is none.
  double measure = 0;
  std::uint32_t record = 0;        ///< Index in the first recording.
  std::uint32_t input_row = none;  ///< As in `ErrorOrigin`.
  std::uint32_t kind = 0;          ///< Index in `CompactRows::kinds`.
  std::uint32_t metrics = none;    ///< Index in `CompactRows::metrics`.
  Verdict verdict = Verdict::equal;
  InputEvidence evidence : 4 = InputEvidence::none;
  RecordMatch match : 2 = RecordMatch::call;
  bool makes_error : 1 = false;
  bool has_growth : 1 = false;  ///< For an exact row: whether records before it have an error.

  [[nodiscard]] bool is_exact() const noexcept { return metrics == none; }
};
static_assert(sizeof(CompactRow) == 32);

/// What further runs tell about a row, as in `NoiseFloor`. NaN stands for null in `relative_l2` and
/// `excess`.
struct CompactNoise {
  double max_absolute = 0;
  double rmse = 0;
  double relative_l2 = 0;
  double factor = 0;
  double excess = 0;
  std::uint32_t runs = 0;  ///< 0 if there is no floor.
  bool is_precise = false;

  /// Returns null if there is no floor.
  [[nodiscard]] std::optional<NoiseFloor> floor() const;
};
[[nodiscard]] CompactNoise compact(const NoiseFloor& floor);

/// The columns that identify the record of a row, without the file that holds them.
struct RecordColumns {
  std::size_t begin = 0;    ///< The first record's index in its recording.
  std::size_t skipped = 0;  ///< How many records of the segment precede it.
  recording::ReadColumns columns;
};

/// All compact rows of a comparison.
struct CompactRows {
  std::deque<CompactKind> kinds;       ///< Addresses are stable.
  std::vector<RecordColumns> records;  ///< From the first recording.
  /// For records whose partners have other call numbers: their indices, ascending, and those
  /// numbers.
  std::vector<std::pair<std::size_t, std::uint64_t>> other_calls;
  std::size_t size = 0;
  CompactRow* rows = nullptr;
  CompactMetrics* metrics = nullptr;
  CompactNoise* noise = nullptr;  ///< Indexed by row; null if there are no further runs.

  /// Allocates uninitialised memory for that many rows and metrics.
  void reserve(std::size_t most_rows, std::size_t most_metrics, bool has_noise);

  /// Where the columns of a row's record are.
  struct Place {
    const recording::ReadColumns* columns = nullptr;
    std::size_t record = 0;
  };
  [[nodiscard]] Place place_of(std::size_t row) const;
  /// As in `RecordPlace`. \param record its index in the first recording
  [[nodiscard]] std::optional<std::uint64_t> other_call_of(std::size_t record) const;
  /// Returns the error of a row; infinite if it has no measure.
  [[nodiscard]] double error_of(std::size_t row) const;
  /// Returns the error below which no layer gets, as in `RowFacts`. \param kind of the row
  [[nodiscard]] double least_error_of(std::size_t row, const CompactKind& kind) const {
    const bool is_measured = noise != nullptr && noise[row].runs != 0 && noise[row].relative_l2 > 0;
    return is_measured ? noise[row].relative_l2 : kind.least_error;
  }
  /// Get and set a row's error relative to others.
  /// @{
  [[nodiscard]] TracedError traced(std::size_t row) const;
  void trace(std::size_t row, const TracedError& traced, bool makes_error);
  /// @}
  /// \param found null if the row is exact
  [[nodiscard]] static TensorMetrics metrics_of(const CompactKind& kind, const CompactRow& row,
                                                const CompactMetrics* found);
  /// Makes the whole row, except for what depends on other rows: its origin and growth.
  [[nodiscard]] ComparisonRow make(std::size_t row) const;

 private:
  /// The errors that a row's error is relative to, as in `TracedError`.
  struct Beside {
    double beside = 0;
    double before = 0;
  };

  Beside* beside_ = nullptr;  // Indexed like `metrics`.
  std::shared_ptr<std::byte> memory_of_rows_;
  std::shared_ptr<std::byte> memory_of_metrics_;
  std::shared_ptr<std::byte> memory_of_noise_;
};

}  // namespace safestructures::inline v0::comparing
