/// \file
/// The bytes of small tensors, and of rows of shared ones, brought to one place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include "data/deferred.hpp"

namespace safestructures::inline v0::comparing {

/// Rows that are needed together are read together: those of one tensor as a range, where they fill
/// most of it, and ranges that follow each other in a file at once.
class RowBytes {
 public:
  /// Forgets all rows.
  void clear();
  /// One more that is needed. \param rows contiguous; its rows follow each other \param size bytes
  /// of the row; of the tensor, where that is all of it
  void add(const Tensor& rows, std::uint64_t row, std::size_t size) {
    if (ranges_.empty() || ranges_[last_].rows != &rows) find_range(rows, row, size);
    Range& range = ranges_[last_];
    range.first = std::min(range.first, row);
    range.last = std::max(range.last, row);
    ++range.count;
    places_.push_back({row, last_});
  }
  /// Has the bytes of all rows at hand until the next call of `clear`.
  /// \throws Error what a tensor's source throws
  void read();
  /// Those of a row, in the order that they were added in.
  [[nodiscard]] const std::byte* operator[](std::size_t i) const { return rows_[i]; }

 private:
  /// Rows of one tensor.
  struct Range {
    const Tensor* rows = nullptr;
    const detail::DeferredBytes* promise = nullptr;  // Null where they are in memory.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t count = 0;
    std::size_t size = 0;              // Of a row.
    std::size_t place = 0;             // In `room_`.
    const std::byte* bytes = nullptr;  // Of the first row.

    [[nodiscard]] std::uint64_t begin() const { return first * size; }
    [[nodiscard]] std::size_t bytes_in_all() const {
      return static_cast<std::size_t>(last - first + 1) * size;
    }
  };
  /// Ranges that are read at once.
  struct Extent {
    const Source* source = nullptr;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::span<Range> ranges;
  };

  struct Place {
    std::uint64_t row = 0;
    std::size_t range = 0;
  };

  /// Has the range of a tensor in `last_`.
  void find_range(const Tensor& rows, std::uint64_t row, std::size_t size);
  void read_ranges();
  void read(const Extent& extent);
  void read_alone();
  /// Room for that many bytes, uninitialised, instead of what there was.
  [[nodiscard]] std::byte* room_for(std::size_t size);

  std::vector<Place> places_;
  std::vector<Range> ranges_;
  std::size_t last_ = 0;  // The range that was looked for last.
  std::vector<Extent> extents_;
  std::vector<const std::byte*> rows_;
  std::unique_ptr<std::byte[]> room_;
  std::size_t room_size_ = 0;
};

}  // namespace safestructures::inline v0::comparing
