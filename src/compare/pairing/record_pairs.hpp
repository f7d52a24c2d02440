/// \file
/// Pairs the records of two recordings.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include <safestructures/compare/rows.hpp>
#include "compare/pairing/rename.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// The indices of two records in their recordings.
struct RecordPair {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::size_t a = none;
  std::size_t b = none;
  RecordMatch match = RecordMatch::call;

  [[nodiscard]] bool is_lone() const { return a == none || b == none; }
};

/// In the order of a's calls; records that only b has come last.
struct RecordPairs {
  /// If two runs recorded the same calls in the same order, as two runs of one program do: the
  /// number of records, each paired with the one at the same index. Otherwise 0.
  std::size_t in_place = 0;
  std::vector<RecordPair> pairs;
  /// How many pairs have different call numbers.
  /// @{
  std::size_t by_order = 0;
  std::size_t by_shape = 0;
  /// @}

  [[nodiscard]] std::size_t size() const { return in_place != 0 ? in_place : pairs.size(); }
  [[nodiscard]] RecordPair operator[](std::size_t i) const {
    return in_place != 0 ? RecordPair{i, i, RecordMatch::call} : pairs[i];
  }
};

/// Pairs records by name, step and call. If a name's call numbers in a step differ between the two,
/// uses `align`.
[[nodiscard]] RecordPairs pair_records(const recording::RecordTable& a,
                                       const recording::RecordTable& b, Renames& renames);

/// Two recordings, which must outlive it, and the pairs of their records.
struct PairedRecordings {
  PairedRecordings(const Recording& first, const Recording& second, Renames& renames)
      : a(first),
        b(second),
        table_a(recording::RecordTable::of(first)),
        table_b(recording::RecordTable::of(second)),
        pairs(pair_records(table_a, table_b, renames)) {}

  const Recording& a;
  const Recording& b;
  const recording::RecordTable& table_a;
  const recording::RecordTable& table_b;
  RecordPairs pairs;
};

}  // namespace safestructures::inline v0::comparing
