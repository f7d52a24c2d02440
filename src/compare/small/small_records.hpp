/// \file
/// Compares records that are small tensors, thousands at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"
#include "compare/pairing/record_pairs.hpp"
#include "compare/small/piece_worker.hpp"
#include "compare/small/row_kinds.hpp"

namespace safestructures::inline v0::comparing {

/// Pairs of records that are small float tensors on both sides, possibly rows of shared tensors;
/// most activations are. No record objects are made, and their rows are compact.
class SmallRecords {
 public:
  /// \param recordings must outlive this
  SmallRecords(const PairedRecordings& recordings, const Rules& rules, Draft& draft);

  /// Adds the rows of all pairs and compares them, if all are such pairs. \returns false, with
  /// nothing added, if one is not
  [[nodiscard]] bool compare_all();
  /// Adds the row of a pair. \returns false if it is not a pair of small tensors
  [[nodiscard]] bool add(const RecordPair& pair);
  /// Compares all added pairs; the draft holds those that are unusual.
  void compare_added();

 private:
  /// How many rows there are, and the approximate bytes of both sides.
  struct Amount {
    std::size_t rows = 0;
    std::uint64_t bytes = 0;
  };

  /// Stores where the records of the first recording are, and which partners have other calls.
  void store_records();
  /// Returns the bytes of the first `count` pairs; null if one of them is not compared here.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(std::size_t count);
  /// Calls `work(begin, count, worker)`, which returns the bytes it compared, for pieces that cover
  /// all rows, on several threads.
  template <class Work>
  [[nodiscard]] std::vector<PieceWorker> in_pieces(const Amount& amount, const Work& work);
  /// Counts what was compared, and lets the draft hold the rest.
  void take(const std::vector<PieceWorker>& workers);

  const PairedRecordings& recordings_;
  const Rules& rules_;
  Draft& draft_;
  CompactRows& compact_;
  std::optional<RowKinds> kinds_;           // Null if every tensor is compared on its own.
  std::optional<RowKinds::Finder> finder_;  // Used by `add` and `bytes_of`.
  std::uint64_t bytes_ = 0;                 // Of all added pairs.
};

}  // namespace safestructures::inline v0::comparing
