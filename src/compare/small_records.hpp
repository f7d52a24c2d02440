/// \file
/// Comparing records that are small tensors, thousands at once.
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

/// Pairs of records that are small tensors of floats on both sides, rows of shared ones or not,
/// which most activations are. No records are made of them; their rows are compact.
class SmallRecords {
 public:
  /// \param pairs all of the two recordings; they outlive this
  SmallRecords(const recording::RecordTable& a, const recording::RecordTable& b,
               const RecordPairs& pairs, const CompareOptions& options, Comparer& comparer);

  /// Adds the rows of all pairs and compares them, if all of them are such pairs. \returns false,
  /// and nothing is added, where one is not
  [[nodiscard]] bool measure_all();
  /// Adds the row of such a pair, if it is one. \returns false where it is none
  [[nodiscard]] bool add(const RecordPair& pair);
  /// Compares all that were added; what is not as usual in them is held by the comparer.
  void measure();

 private:
  struct Worker;
  /// Bytes of the first pairs. \returns nothing where one of them is not compared here
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(std::size_t count);
  /// Calls `work(begin, count, worker)` for pieces that cover all rows, on several threads; it
  /// returns the bytes that were compared. \param bytes of all, about
  template <class Work>
  [[nodiscard]] std::vector<Worker> in_pieces(std::size_t rows, std::uint64_t bytes,
                                              const Work& work);
  /// Says which rows pairs are, and their kinds to the worker. \returns false where one has none
  [[nodiscard]] bool find(std::size_t begin, std::size_t count, Worker& worker);
  /// Compares rows, of which the worker has the kinds. \returns their bytes
  std::uint64_t measure(std::size_t begin, std::size_t count, Worker& worker);
  using Kinds = std::span<const CompactKind* const>;
  /// Has the bytes of some rows at hand. \param kinds of those from `begin` on \returns how many
  std::size_t read(std::size_t begin, Kinds kinds, Worker& worker);
  /// Compares rows whose bytes are at hand. \returns their bytes
  std::uint64_t compare(std::size_t begin, Kinds kinds, Worker& worker);
  /// Counts what was compared, and has the comparer hold the rest.
  void take(const std::vector<Worker>& workers);

  const recording::RecordTable& a_;
  const recording::RecordTable& b_;
  const RecordPairs& pairs_;
  const CompareOptions& options_;
  Comparer& comparer_;
  std::optional<RowKinds> kinds_;           // Nothing: every tensor is looked at on its own.
  std::optional<RowKinds::Finder> finder_;  // Of `add` and `bytes_of`.
  std::uint64_t bytes_ = 0;                 // Of all that were added.
};

}  // namespace safestructures::inline v0::comparing
