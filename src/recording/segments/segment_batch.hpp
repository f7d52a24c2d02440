/// \file
/// Records that are written together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include "recording/segments/frame.hpp"
#include "recording/segments/segment_header.hpp"

namespace safestructures::inline v0::recording {

/// A record ready to be written. Its frame's offsets are relative to its own first byte until it
/// has a place in a segment.
struct PreparedRecord {
  Frame frame;
  std::vector<Tensor> tensors;  ///< The frame's tensors, as stored.
  std::uint64_t cost = 0;       ///< `SegmentHeader::cost` of the frame.
};

/// A record ready to be written that may become a row (`may_be_row`). What it points to must not
/// change until then. Giving each a frame of its own took a quarter longer for 10,000 records of
/// 256 B.
struct PreparedRow {
  const RecordHead* head = nullptr;
  const Tensor* tensor = nullptr;  ///< As stored.
  DType own_dtype = DType::F32;    ///< Before conversion.
  std::uint64_t cost = 0;          ///< `SegmentHeader::cost_of_tensor`
  std::uint64_t cost_of_name = 0;  ///< The part of `cost` for the name.
};

/// Records in call order. In the file, records of one kind are stored next to each other.
class SegmentBatch {
 public:
  /// \returns whether there is a record of the same kind, after which it would be a row
  [[nodiscard]] bool has_kind_of(const PreparedRow& row) const;
  /// \param name index of its name in the header
  void add(PreparedRecord record, std::uint32_t name);
  void add(const PreparedRow& row, std::uint32_t name);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// Returns the approximate size of all data, without alignment gaps.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Assigns the records their places after `end`. \returns the end of the last one
  std::uint64_t place(std::uint64_t end);
  /// Hashes what the header names: records, and all rows of a tensor together. \param rows whether
  /// to hash each row as well, for the journal
  void hash(bool rows);
  /// Calls `each(begin, bytes)` for all data, in file order.
  template <class Each>
  void each_piece(const Each& each) const {
    for (const Run& run : runs_) {
      std::uint64_t begin = run.begin;
      for (const Row& row : run.rows) {
        each(begin, run.bytes_of(row));
        begin += run.row_bytes;
      }
      if (!run.rows.empty()) continue;
      for (const Tensor& tensor : records_[run.record].tensors) {
        each(begin, tensor.bytes());
        begin += tensor.byte_size();
      }
    }
  }
  /// Appends the journal frame of a record.
  void append_frame(std::vector<std::byte>& bytes, std::size_t record) const;
  /// Adds everything to the header, or nothing if memory runs out. Consumes the records except for
  /// their heads.
  void add_to(SegmentHeader& header, bool checksums);
  void clear() noexcept;

 private:
  struct Row {
    const RecordHead* head = nullptr;
    const std::byte* bytes = nullptr;
    std::uint64_t hash = 0;
  };
  /// Records stored next to each other: rows of one kind, or a single record.
  struct Run {
    RowKind kind;
    std::size_t row_bytes = 0;  // The size of each row.
    std::vector<Row> rows;
    std::size_t record = 0;  // If there are no rows: the index into `records_`.
    std::uint64_t begin = 0;
    std::uint64_t hash = 0;

    [[nodiscard]] std::span<const std::byte> bytes_of(const Row& row) const noexcept {
      return {row.bytes, row_bytes};
    }
  };
  /// A record, in call order.
  struct Entry {
    std::uint32_t run = 0;
    std::uint32_t row = 0;
    std::uint32_t name = 0;
  };
  struct KindHash {
    std::size_t operator()(const RowKind& kind) const noexcept;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// \returns the index of its value
  std::uint32_t add_to(SegmentHeader& header, const Run& run);
  /// Returns the run in which it would be a row, or `none`.
  [[nodiscard]] std::size_t run_of(const PreparedRow& row) const;

  std::vector<PreparedRecord> records_;
  std::vector<Run> runs_;  // In file order.
  std::vector<Entry> entries_;
  std::unordered_map<RowKind, std::size_t, KindHash> run_of_kind_;
  std::size_t last_run_ = none;  // The run to which a row was added last.
  std::uint64_t bytes_ = 0;
};

}  // namespace safestructures::inline v0::recording
