/// \file
/// The rows of a segment's tensors, each of which is the tensor of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::recording {

/// Memory for what is read of segments one after the other: 100,000 rows of 256 bytes are 40
/// tensors of half a megabyte, whose first touch in small pages took a seventh of a comparison.
class RowMemory {
 public:
  /// Uninitialised bytes. From the second megabyte on they are parts of huge pages, of which each
  /// part keeps one in memory: who follows a run takes a few rows each time. \throws std::bad_alloc
  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t size);

 private:
  std::size_t taken_ = 0;
  std::shared_ptr<std::byte> block_;
  std::size_t left_ = 0;  // At its end.
};

/// Gives rows of the tensors of one segment.
class SegmentRows {
 public:
  /// \param records of the segment
  SegmentRows(std::size_t records, RowMemory& memory);

  /// A row, with the dtype that it had before it was converted. Its bytes are read with the rows
  /// around them where they are small. \param rows stays where it is \throws Error what its source
  /// throws
  [[nodiscard]] Value at(const Value& rows, std::int32_t row);

 private:
  /// What rows are taken of.
  struct Rows {
    Tensor tensor;
    std::shared_ptr<const Source> source;  // Where they are to be read when they are touched.
  };
  [[nodiscard]] Rows rows_of(const Tensor& tensor);

  RowMemory& memory_;
  std::uint64_t left_;  // Of what may be read at once.
  std::unordered_map<const Value*, Rows> known_;
  const Value* last_ = nullptr;
  const Rows* last_rows_ = nullptr;
  std::shared_ptr<const Source> source_;    // Of the segment's tensors: one, as a rule.
  std::shared_ptr<const Source> together_;  // The same, for their rows.
};

}  // namespace safestructures::inline v0::recording
