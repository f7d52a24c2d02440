/// \file
/// Compares records that are small tensors, thousands at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <safestructures/compare/options.hpp>
#include "compare/pairing/record_pairs.hpp"
#include "compare/pairs.hpp"
#include "compare/row_kinds.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// Pairs of records that are small float tensors on both sides, possibly rows of shared tensors;
/// most activations are. No record objects are made, and their rows are compact.
class SmallRecords {
 public:
  /// \param pairs all pairs of the two recordings; they must outlive this
  SmallRecords(const recording::RecordTable& a, const recording::RecordTable& b,
               const RecordPairs& pairs, const CompareOptions& options, Comparer& comparer);

  /// Adds the rows of all pairs and compares them, if all are such pairs. \returns false, with
  /// nothing added, if one is not
  [[nodiscard]] bool measure_all();
  /// Adds the row of a pair. \returns false if it is not a pair of small tensors
  [[nodiscard]] bool add(const RecordPair& pair);
  /// Compares all added pairs; the comparer holds those that are unusual.
  void measure();

 private:
  struct Worker;
  /// Returns the bytes of the first `count` pairs; null if one of them is not compared here.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(std::size_t count);
  /// Calls `work(begin, count, worker)`, which returns the bytes it compared, for pieces that cover
  /// all rows, on several threads. \param bytes approximate total
  template <class Work>
  [[nodiscard]] std::vector<Worker> in_pieces(std::size_t rows, std::uint64_t bytes,
                                              const Work& work);
  /// Determines the rows of pairs, and their kinds for the worker. \returns false if one has none
  [[nodiscard]] bool find(std::size_t begin, std::size_t count, Worker& worker);
  /// Compares rows whose kinds the worker has. \returns their bytes
  std::uint64_t measure(std::size_t begin, std::size_t count, Worker& worker);
  using Kinds = std::span<const CompactKind* const>;
  /// Reads the bytes of some rows. \param kinds of the rows from `begin` on \returns how many rows
  std::size_t read(std::size_t begin, Kinds kinds, Worker& worker);
  /// Compares rows whose bytes were read. \returns their bytes
  std::uint64_t compare(std::size_t begin, Kinds kinds, Worker& worker);
  /// Counts what was compared, and lets the comparer hold the rest.
  void take(const std::vector<Worker>& workers);

  const recording::RecordTable& a_;
  const recording::RecordTable& b_;
  const RecordPairs& pairs_;
  const CompareOptions& options_;
  Comparer& comparer_;
  std::optional<RowKinds> kinds_;           // Null if every tensor is compared on its own.
  std::optional<RowKinds::Finder> finder_;  // Used by `add` and `bytes_of`.
  std::uint64_t bytes_ = 0;                 // Of all added pairs.
};

}  // namespace safestructures::inline v0::comparing
