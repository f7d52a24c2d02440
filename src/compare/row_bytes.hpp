/// \file
/// The bytes of small tensors, and of rows of shared ones, brought to one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include "data/deferred.hpp"

namespace safestructures::inline v0::comparing {

/// Which row of which tensor.
struct RowPlace {
  const Tensor* rows = nullptr;  ///< Contiguous; its rows follow each other.
  std::uint64_t row = 0;
  std::size_t size = 0;  ///< Bytes of the row; of the tensor, where that is all of it.
};

/// Rows that are needed together are read together: those of one tensor as a range, where they fill
/// most of it, and ranges that follow each other in a file at once.
class RowBytes {
 public:
  /// Has the bytes of rows at hand until the next call. \throws Error what a tensor's source throws
  void read(std::span<const RowPlace> places);
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

  void find_ranges(std::span<const RowPlace> places);
  [[nodiscard]] std::size_t range_of(const RowPlace& place);
  void read_ranges();
  void read(const Extent& extent);
  void read_alone(std::span<const RowPlace> places);

  std::vector<Range> ranges_;
  std::size_t last_ = 0;               // The range that was looked for last.
  std::vector<std::uint32_t> of_row_;  // The range of each.
  std::vector<Extent> extents_;
  std::vector<const std::byte*> rows_;
  std::vector<std::byte> room_;
};

}  // namespace safestructures::inline v0::comparing
