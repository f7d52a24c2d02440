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

/// A record ready to be written. Offsets of its frame count from its own first byte until it has a
/// place in a segment.
struct PreparedRecord {
  Frame frame;
  std::vector<Tensor> tensors;  ///< Those of the frame, as they are stored.
  std::uint64_t cost = 0;       ///< `SegmentHeader::cost` of the frame.
};

/// A record ready to be written that may be a row (`may_be_row`). What it points to must stay as it
/// is until then: with a frame of its own each, 10,000 of 256 B took a quarter longer.
struct PreparedRow {
  const RecordHead* head = nullptr;
  const Tensor* tensor = nullptr;  ///< As it is stored.
  DType own_dtype = DType::F32;    ///< Before it was converted.
  std::uint64_t cost = 0;          ///< `SegmentHeader::cost_of_tensor`
  std::uint64_t cost_of_name = 0;  ///< Of that.
};

/// Records in the order of their calls. Where they lie in the file is another order: those of one
/// kind side by side.
class SegmentBatch {
 public:
  /// \returns whether there is a record of the same kind, behind which it would be a row
  [[nodiscard]] bool has_kind_of(const PreparedRow& row) const;
  /// \param name its place in the header
  void add(PreparedRecord record, std::uint32_t name);
  void add(const PreparedRow& row, std::uint32_t name);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// Of all data, about: without gaps for alignment.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Gives the records their places behind `end`. \returns the end of the last
  std::uint64_t place(std::uint64_t end);
  /// Hashes what the header names: records, and rows together. \param rows whether each row as
  /// well, for the journal
  void hash(bool rows);
  /// Calls `each(begin, bytes)` for all data, as they lie in the file.
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
  /// What the journal says of a record.
  void append_frame(std::vector<std::byte>& bytes, std::size_t record) const;
  /// Adds all of it, or where memory runs out nothing. Uses the records up, but for their heads.
  void add_to(SegmentHeader& header, bool checksums);
  void clear() noexcept;

 private:
  struct Row {
    const RecordHead* head = nullptr;
    const std::byte* bytes = nullptr;
    std::uint64_t hash = 0;
  };
  /// Records that lie side by side: rows of one kind, or one.
  struct Run {
    RowKind kind;
    std::size_t row_bytes = 0;  // Of each row.
    std::vector<Row> rows;
    std::size_t record = 0;  // Where there are no rows: which of `records_` it is.
    std::uint64_t begin = 0;
    std::uint64_t hash = 0;

    [[nodiscard]] std::span<const std::byte> bytes_of(const Row& row) const noexcept {
      return {row.bytes, row_bytes};
    }
  };
  /// A record, in the order of calls.
  struct Entry {
    std::uint32_t run = 0;
    std::uint32_t row = 0;
    std::uint32_t name = 0;
  };
  struct KindHash {
    std::size_t operator()(const RowKind& kind) const noexcept;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// \returns the place of its value
  std::uint32_t add_to(SegmentHeader& header, const Run& run);
  /// The run in which it would be a row, or `none`.
  [[nodiscard]] std::size_t run_of(const PreparedRow& row) const;

  std::vector<PreparedRecord> records_;
  std::vector<Run> runs_;  // As they lie in the file.
  std::vector<Entry> entries_;
  std::unordered_map<RowKind, std::size_t, KindHash> run_of_kind_;
  std::size_t last_run_ = none;  // To which a row was added last.
  std::uint64_t bytes_ = 0;
};

}  // namespace safestructures::inline v0::recording
