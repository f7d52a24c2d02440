/// \file
/// Collects the bytes of small tensors, and of rows of shared ones.
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

/// Reads rows that are needed together in few reads: rows of one tensor as a range if they fill
/// most of it, and adjacent ranges of a file at once.
class RowBytes {
 public:
  /// Forgets all rows.
  void clear();
  /// Adds a row to read. \param rows contiguous, with its rows one after another \param size the
  /// row's size in bytes; the tensor's if the row is all of it
  void add(const Tensor& rows, std::uint64_t row, std::size_t size) {
    if (ranges_.empty() || ranges_[last_].rows != &rows) find_range(rows, row, size);
    Range& range = ranges_[last_];
    range.first = std::min(range.first, row);
    range.last = std::max(range.last, row);
    ++range.count;
    places_.push_back({row, last_});
  }
  /// Reads the bytes of all rows, which stay valid until `clear`.
  /// \throws Error whatever a tensor's source throws
  void read();
  /// Returns the bytes of a row, indexed in the order of `add`.
  [[nodiscard]] const std::byte* operator[](std::size_t i) const { return rows_[i]; }

 private:
  /// Rows of one tensor.
  struct Range {
    const Tensor* rows = nullptr;
    const detail::DeferredBytes* promise = nullptr;  // Null if the bytes are in memory.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t count = 0;
    std::size_t size = 0;              // Of one row.
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

  /// Sets `last_` to the range of a tensor.
  void find_range(const Tensor& rows, std::uint64_t row, std::size_t size);
  void read_ranges();
  void read(const Extent& extent);
  void read_alone();
  /// Returns uninitialised memory for that many bytes, replacing the previous one.
  [[nodiscard]] std::byte* room_for(std::size_t size);

  std::vector<Place> places_;
  std::vector<Range> ranges_;
  std::size_t last_ = 0;  // Index of the range that was found last.
  std::vector<Extent> extents_;
  std::vector<const std::byte*> rows_;
  std::unique_ptr<std::byte[]> room_;
  std::size_t room_size_ = 0;
};

}  // namespace safestructures::inline v0::comparing
