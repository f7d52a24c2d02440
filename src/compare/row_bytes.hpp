/// \file
/// The bytes of rows of shared tensors, brought to one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// Which row of which tensor.
struct RowPlace {
  const Tensor* rows = nullptr;  ///< Contiguous; the first dimension counts its rows.
  std::uint64_t row = 0;
  std::size_t size = 0;  ///< Bytes of the row.
};

/// Rows that are needed together are read together: those of one tensor as a range, where they fill
/// most of it.
class RowBytes {
 public:
  /// Has the bytes of rows at hand until the next call. \throws Error what a tensor's source throws
  void read(std::span<const RowPlace> places);
  [[nodiscard]] const std::byte* operator[](std::size_t i) const { return rows_[i]; }

 private:
  /// Rows of one tensor.
  struct Range {
    const Tensor* rows = nullptr;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t count = 0;
    std::size_t size = 0;              // Of a row.
    const std::byte* bytes = nullptr;  // Of the first row.
  };
  [[nodiscard]] std::size_t range_of(const RowPlace& place);
  void read_alone(std::span<const RowPlace> places);

  std::vector<Range> ranges_;
  std::size_t last_ = 0;               // The range that was looked for last.
  std::vector<std::uint32_t> of_row_;  // The range of each.
  std::vector<const std::byte*> rows_;
  std::vector<std::byte> room_;
};

}  // namespace safestructures::inline v0::comparing
