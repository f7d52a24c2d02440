/// \file
/// Elements of strided memory in row-major order, and slices resolved against a shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/slice.hpp>

namespace safestructures::inline v0::detail {

/// Returns the bytes of an element; 0 if several elements share one.
inline std::size_t element_bytes(DType dtype) noexcept { return bit_width(dtype) / 8; }

/// A view of elements of 1, 2, 4 or 8 bytes: element (i, j, ...) is at
/// `origin + i * strides[0] + ...` bytes. Valid as long as the memory.
class StridedView {
 public:
  /// \pre strides and shape have the same length, and the shape passes `element_count`
  StridedView(const Shape& shape, std::span<const std::int64_t> strides, const std::byte* origin,
              std::size_t element_size);

  /// Whether the elements are stored in row-major order without gaps.
  [[nodiscard]] bool is_contiguous() const noexcept;

  /// Returns how many consecutive elements are best gathered at once: at least `least`, or more if
  /// fewer would read the same cache lines repeatedly, but at most 32 MiB unless `least` is more.
  [[nodiscard]] std::uint64_t block_elements(std::uint64_t least) const noexcept;

  /// The size of a matrix.
  struct Extent {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
  };
  /// Returns the size of a matrix whose columns are consecutive in memory, but whose rows are not;
  /// null for others.
  [[nodiscard]] std::optional<Extent> column_major() const noexcept;
  /// Returns a part of such a matrix, starting at a row and column. \pre it is inside
  [[nodiscard]] StridedView part(std::uint64_t row, std::uint64_t column, Extent extent) const;

  /// Returns the matrix of the same elements, in row-major order, that should be copied in parts of
  /// many rows and few columns; null if blocks of `block` consecutive elements are as good. Its
  /// rows are as long as what follows the dimension most nearly consecutive in memory.
  [[nodiscard]] std::optional<Extent> as_matrix(std::uint64_t block) const noexcept;

  /// Writes `count` elements from element `first` on, in row-major order, to `target`, which may be
  /// unaligned and must not overlap the view. \pre the range is inside the view
  void gather(std::uint64_t first, std::uint64_t count, std::byte* target) const;

 private:
  struct Dim {
    std::uint64_t size;
    std::int64_t stride;
    std::uint64_t inner;  // The number of elements per index of this dimension.
  };
  struct Plane;

  [[nodiscard]] const Dim& nearest() const noexcept;
  void gather_range(std::size_t level, std::uint64_t begin, std::uint64_t end,
                    const std::byte* source, std::byte* target) const;
  void gather_box(std::size_t level, std::uint64_t begin, std::uint64_t end,
                  const std::byte* source, std::byte* target) const;
  void gather_plane(const Plane& plane, const std::byte* source, std::byte* target) const;

  // Without dimensions of size 1, and with adjacent ones merged. Each has at least two indices, and
  // there are fewer than 2^63 elements: never more than 62 dimensions.
  std::array<Dim, 63> dims_;
  std::size_t rank_ = 0;
  std::size_t element_size_;
  const std::byte* origin_;
  bool empty_ = false;
};

/// Writes to `strides` the bytes from one index to the next for a row-major `shape`.
/// \pre `byte_size` accepts the shape and no size is 0
void row_major_strides(const Shape& shape, std::size_t element_size,
                       std::span<std::int64_t> strides);

/// A resolved slice of one dimension: the indices `start + i * step` for i below `count`.
struct SliceRange {
  std::uint64_t start = 0;  ///< 0 if `count` is 0.
  std::int64_t step = 1;
  std::uint64_t count = 0;
};

/// Resolves a slice against the size of its dimension, as Python does: ranges are clipped to what
/// exists, indices must exist.
/// \param dimension its number, for errors
/// \pre size is at most 2^63 - 1
/// \throws Error `out_of_range` for an index outside, `invalid_argument` for a step of 0
SliceRange resolve(const Slice& slice, std::uint64_t size, std::size_t dimension);

}  // namespace safestructures::inline v0::detail
