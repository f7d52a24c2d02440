/// \file
/// Rows about pairs of small records, in as few bytes as what is known of them takes.
///
/// A row of some 800 bytes for each record of 256 took ten times as long to make as reading both:
/// most of it was the first touch of its memory.
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

/// How a record's error is beside that of others.
struct TracedError {
  InputEvidence evidence = InputEvidence::none;
  std::optional<std::size_t> input_row;
  double beside = 0;  ///< What its error is measured against.
  double before = 0;  ///< The largest error before it in its step.
};

/// What rows of two names have in common.
struct CompactKind {
  std::string path;        ///< The name in the first recording.
  std::string other_path;  ///< In the second, where it is another.
  std::string detail;      ///< As in `ComparisonRow`.
  Shape shape;             ///< Of each record.
  std::size_t count = 0;   ///< Numbers of each record.
  /// Bytes of each record.
  /// @{
  std::size_t size_a = 0;
  std::size_t size_b = 0;
  /// @}
  /// Of floats of at most 32 bits.
  /// @{
  DType dtype_a = DType::F32;
  DType dtype_b = DType::F32;
  /// @}
  Tolerance tolerance;
  /// Of the side with fewer digits, and of the other.
  /// @{
  Grid grid;
  Grid finer_grid;
  /// @}
  bool has_words = false;            ///< Whether both sides are numbers of the grid in 16 bits.
  bool has_given_tolerance = false;  ///< Whether the call says it.
  double least_error = 0;            ///< As in `RowFacts`.
  /// Whether a tensor of that shape may be recognised as one with its dimensions in another order.
  bool may_be_permuted = false;
};

/// Of a row whose bytes differ: what its metrics are made of, all of them finite.
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
};

/// One row.
struct CompactRow {
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Of an exact row the sum of the squares, on both sides; of others the relative L2, that of the
  /// places without masks where it is more, which is not a number where there is none.
  double measure = 0;
  std::uint32_t record = 0;        ///< Place in the first recording.
  std::uint32_t input_row = none;  ///< As in `ErrorOrigin`.
  std::uint32_t kind = 0;          ///< Place in `CompactRows::kinds`.
  std::uint32_t metrics = none;    ///< Place in `CompactRows::metrics`.
  Verdict verdict = Verdict::equal;
  InputEvidence evidence : 4 = InputEvidence::none;
  RecordMatch match : 2 = RecordMatch::call;
  bool makes_error : 1 = false;
  bool has_growth : 1 = false;  ///< Of an exact row: whether records before it have an error.

  [[nodiscard]] bool is_exact() const noexcept { return metrics == none; }
};
static_assert(sizeof(CompactRow) == 32);

/// What further runs say of a row, as in `NoiseFloor`. Of `relative_l2` and `excess` what is
/// nothing there is not a number here.
struct CompactNoise {
  double max_absolute = 0;
  double rmse = 0;
  double relative_l2 = 0;
  double factor = 0;
  double excess = 0;
  std::uint32_t runs = 0;  ///< None: there is no floor.
  bool is_precise = false;

  /// Nothing where there is no floor.
  [[nodiscard]] std::optional<NoiseFloor> floor() const;
};
[[nodiscard]] CompactNoise compact(const NoiseFloor& floor);

/// What says of which record a row is, without the file that holds it.
struct RecordColumns {
  std::size_t begin = 0;    ///< The first record's place in its recording.
  std::size_t skipped = 0;  ///< Records of the segment before it.
  recording::ReadColumns columns;
};

/// All of a comparison.
struct CompactRows {
  std::deque<CompactKind> kinds;       ///< Each stays where it is.
  std::vector<RecordColumns> records;  ///< Of the first recording.
  /// Of records whose partners are other calls: their places, in order, and these calls.
  std::vector<std::pair<std::size_t, std::uint64_t>> other_calls;
  std::size_t size = 0;
  CompactRow* rows = nullptr;
  CompactMetrics* metrics = nullptr;
  CompactNoise* noise = nullptr;  ///< By rows; null where there are no further runs.

  /// Has room, untouched, for that many rows, and metrics.
  void reserve(std::size_t most_rows, std::size_t most_metrics, bool has_noise);

  /// Where the record of a row is said.
  struct Place {
    const recording::ReadColumns* columns = nullptr;
    std::size_t record = 0;
  };
  [[nodiscard]] Place place_of(std::size_t row) const;
  /// As in `RecordPlace`. \param record its place in the first recording
  [[nodiscard]] std::optional<std::uint64_t> other_call_of(std::size_t record) const;
  /// How large the error of a row is; infinite where it has no measure.
  [[nodiscard]] double error_of(std::size_t row) const;
  /// What no layer does better than, as in `RowFacts`. \param kind of the row
  [[nodiscard]] double least_error_of(std::size_t row, const CompactKind& kind) const {
    const bool is_measured = noise != nullptr && noise[row].runs != 0 && noise[row].relative_l2 > 0;
    return is_measured ? noise[row].relative_l2 : kind.least_error;
  }
  /// How the error of a row is beside that of others, or has it so.
  /// @{
  [[nodiscard]] TracedError traced(std::size_t row) const;
  void trace(std::size_t row, const TracedError& traced, bool makes_error);
  /// @}
  /// \param found of a row that is not exact
  [[nodiscard]] static TensorMetrics metrics_of(const CompactKind& kind, const CompactRow& row,
                                                const CompactMetrics* found);
  /// All of it but what comes from other rows: its origin and growth.
  [[nodiscard]] ComparisonRow make(std::size_t row) const;

 private:
  /// What the error of a row is beside, as in `TracedError`.
  struct Beside {
    double beside = 0;
    double before = 0;
  };

  Beside* beside_ = nullptr;  // By places in `metrics`.
  std::shared_ptr<std::byte> memory_of_rows_;
  std::shared_ptr<std::byte> memory_of_metrics_;
  std::shared_ptr<std::byte> memory_of_noise_;
};

}  // namespace safestructures::inline v0::comparing
