#include "data/conversion/strided.hpp"

#include <algorithm>
#include <string>

#include <safestructures/data/error.hpp>

#include "data/conversion/transpose.hpp"

namespace safestructures::inline v0::detail {
namespace {

// May wrap around: only unused strides, of dimensions with a single index, can be that large.
std::int64_t multiply(std::uint64_t count, std::int64_t stride) noexcept {
  return static_cast<std::int64_t>(count * static_cast<std::uint64_t>(stride));
}

std::uint64_t magnitude(std::int64_t stride) noexcept {
  const auto bits = static_cast<std::uint64_t>(stride);
  return stride < 0 ? 0 - bits : bits;
}

// Whether a plane's columns, but not its rows, are consecutive in memory.
bool are_columns(std::int64_t row_stride, std::int64_t column_stride, std::size_t element_size) {
  return row_stride == static_cast<std::int64_t>(element_size) &&
         magnitude(column_stride) > element_size;
}

}  // namespace

struct StridedView::Plane {
  std::uint64_t rows;
  std::uint64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::size_t target_stride;  // Bytes from one row to the next in the target.
  Rows part;
};

StridedView::StridedView(const Shape& shape, std::span<const std::int64_t> strides,
                         const std::byte* origin, std::size_t element_size)
    : element_size_(element_size), origin_(origin) {
  for (std::size_t i = 0; i < shape.size(); ++i) empty_ = empty_ || shape[i] == 0;
  if (empty_) return;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (rank_ > 0 && dims_[rank_ - 1].stride == multiply(shape[i], strides[i])) {
      dims_[rank_ - 1] = {dims_[rank_ - 1].size * shape[i], strides[i], 1};
    } else {
      dims_[rank_++] = {shape[i], strides[i], 1};
    }
  }
  for (std::size_t i = rank_; i-- > 1;) dims_[i - 1].inner = dims_[i].inner * dims_[i].size;
}

bool StridedView::is_contiguous() const noexcept {
  return empty_ || rank_ == 0 ||
         (rank_ == 1 && dims_[0].stride == static_cast<std::int64_t>(element_size_));
}

std::uint64_t StridedView::block_elements(std::uint64_t least) const noexcept {
  if (rank_ < 2) return least;
  const auto [size, stride, inner] = nearest();
  // Two lines of each column, so that columns that begin inside a line waste at most half of one.
  const std::uint64_t rows = std::min(size, 2 * cache_line / element_size_);
  const std::uint64_t most = (std::uint64_t{32} << 20U) / element_size_;
  if (inner > most / rows) return std::max(least, most);
  return std::max(least, rows * inner);
}

std::optional<StridedView::Extent> StridedView::as_matrix(std::uint64_t block) const noexcept {
  if (empty_ || rank_ < 2 || block_elements(block) == block) return std::nullopt;
  const std::uint64_t columns = nearest().inner;
  if (columns == 1) return std::nullopt;
  return Extent{dims_[0].size * dims_[0].inner / columns, columns};
}

const StridedView::Dim& StridedView::nearest() const noexcept {
  return *std::min_element(
      dims_.begin(), dims_.begin() + static_cast<std::ptrdiff_t>(rank_),
      [](const Dim& a, const Dim& b) { return magnitude(a.stride) < magnitude(b.stride); });
}

std::optional<StridedView::Extent> StridedView::column_major() const noexcept {
  if (rank_ != 2 || !are_columns(dims_[0].stride, dims_[1].stride, element_size_))
    return std::nullopt;
  return Extent{dims_[0].size, dims_[1].size};
}

StridedView StridedView::part(std::uint64_t row, std::uint64_t column, Extent extent) const {
  const std::array<std::int64_t, 2> strides{dims_[0].stride, dims_[1].stride};
  return {Shape{extent.rows, extent.columns}, strides,
          origin_ + multiply(row, strides[0]) + multiply(column, strides[1]), element_size_};
}

void StridedView::gather(std::uint64_t first, std::uint64_t count, std::byte* target) const {
  if (count == 0) return;
  if (rank_ == 0) {
    std::copy_n(origin_, element_size_, target);
  } else {
    gather_range(0, first, first + count, origin_, target);
  }
}

// A row-major range consists of a partial index, whole indices, and another partial index; the
// partial ones are ranges with one dimension fewer.
void StridedView::gather_range(std::size_t level, std::uint64_t begin, std::uint64_t end,
                               const std::byte* source, std::byte* target) const {
  const Dim& dim = dims_[level];
  if (level + 2 == rank_ && are_columns(dim.stride, dims_[level + 1].stride, element_size_)) {
    const Rows part{begin / dim.inner, (end - 1) / dim.inner + 1, begin % dim.inner,
                    (end - 1) % dim.inner + 1};
    return gather_plane({dim.size, dim.inner, dim.stride, dims_[level + 1].stride,
                         static_cast<std::size_t>(dim.inner) * element_size_, part},
                        source, target);
  }
  std::uint64_t index = begin / dim.inner;
  const auto partial = [&](std::uint64_t from, std::uint64_t to) {
    gather_range(level + 1, from, to, source + multiply(index, dim.stride), target);
    target += (to - from) * element_size_;
    ++index;
  };
  if (const std::uint64_t skipped = begin % dim.inner; skipped != 0) {
    partial(skipped, std::min(dim.inner, end - index * dim.inner));
  }
  const std::uint64_t whole_end = end / dim.inner;
  if (index < whole_end) {
    gather_box(level, index, whole_end, source, target);
    target += (whole_end - index) * dim.inner * element_size_;
    index = whole_end;
  }
  if (index == whole_end && end % dim.inner != 0) partial(0, end % dim.inner);
}

// Copies indices [begin, end) of one dimension and all of the inner ones, plane by plane: the
// innermost dimension, which is consecutive in the target, and the one most nearly consecutive in
// the source (or its neighbour, if that is the same one).
void StridedView::gather_box(std::size_t level, std::uint64_t begin, std::uint64_t end,
                             const std::byte* source, std::byte* target) const {
  const std::size_t last = rank_ - 1;
  const Dim& innermost = dims_[last];
  if (level == last) {
    source += multiply(begin, innermost.stride);
    return gather_plane({1, end - begin, 0, innermost.stride, 0, {0, 1, 0, end - begin}}, source,
                        target);
  }
  const auto size = [&](std::size_t i) { return i == level ? end - begin : dims_[i].size; };
  std::size_t fast = last;
  for (std::size_t i = last; i-- > level;) {
    if (size(i) > 1 && magnitude(dims_[i].stride) < magnitude(dims_[fast].stride)) fast = i;
  }
  if (fast == last) fast = last - 1;
  const Dim& rows = dims_[fast];
  Plane plane{rows.size,
              innermost.size,
              rows.stride,
              innermost.stride,
              static_cast<std::size_t>(rows.inner) * element_size_,
              {0, rows.size, 0, innermost.size}};
  if (fast == level) {
    plane.part.begin = begin;
    plane.part.end = end;
  } else {
    source += multiply(begin, dims_[level].stride);
  }

  std::array<std::uint64_t, 63> index;
  std::fill(index.begin() + level, index.begin() + last, 0);
  for (;;) {
    gather_plane(plane, source, target);
    std::size_t i = last;
    for (;;) {
      if (i == level) return;
      if (--i == fast) continue;
      source += dims_[i].stride;
      target += dims_[i].inner * element_size_;
      if (++index[i] < size(i)) break;
      source -= multiply(index[i], dims_[i].stride);
      target -= index[i] * dims_[i].inner * element_size_;
      index[i] = 0;
    }
  }
}

void StridedView::gather_plane(const Plane& plane, const std::byte* source,
                               std::byte* target) const {
  const auto run = [&]<class T>(T) {
    const Rows& part = plane.part;
    const std::uint64_t rows = part.end - part.begin;
    if (are_columns(plane.row_stride, plane.column_stride, sizeof(T))) {
      return transpose<T>({source, plane.rows, plane.columns, plane.column_stride}, part, target,
                          plane.target_stride);
    }
    const std::byte* first = source + multiply(part.begin, plane.row_stride);
    if (plane.column_stride == sizeof(T)) {
      copy_rows<T>(rows, plane.columns, first, plane.row_stride, target, plane.target_stride);
    } else {
      copy_strided<T>(rows, plane.columns, first, plane.row_stride, plane.column_stride, target,
                      plane.target_stride);
    }
  };
  switch (element_size_) {
    case 1: return run(std::uint8_t{});
    case 2: return run(std::uint16_t{});
    case 4: return run(std::uint32_t{});
    default: return run(std::uint64_t{});
  }
}

void row_major_strides(const Shape& shape, std::size_t element_size,
                       std::span<std::int64_t> strides) {
  auto stride = static_cast<std::int64_t>(element_size);
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride = multiply(shape[i], stride);
  }
}

SliceRange resolve(const Slice& slice, std::uint64_t size, std::size_t dimension) {
  const auto length = static_cast<std::int64_t>(size);
  const auto from_end = [&](std::int64_t place) { return place < 0 ? place + length : place; };
  if (slice.index) {
    const std::int64_t given = slice.start.value_or(0);
    const std::int64_t place = from_end(given);
    if (place < 0 || place >= length) {
      throw Error(ErrorCode::out_of_range,
                  "the index is outside dimension " + std::to_string(dimension),
                  {.expected = length == 0 ? "no index, as the dimension is empty"
                                           : "an index from -" + std::to_string(length) + " to " +
                                                 std::to_string(length - 1),
                   .found = std::to_string(given)});
    }
    return {static_cast<std::uint64_t>(place), 1, 1};
  }
  if (slice.step == 0) {
    throw Error(ErrorCode::invalid_argument,
                "the slice of dimension " + std::to_string(dimension) + " has the step 0",
                {.advice = "Use a positive step, or a negative one to go backwards"});
  }
  const bool forwards = slice.step > 0;
  const std::int64_t lowest = forwards ? 0 : -1;
  const std::int64_t highest = forwards ? length : length - 1;
  const auto place = [&](const std::optional<std::int64_t>& given, std::int64_t missing) {
    return given ? std::clamp(from_end(*given), lowest, highest) : missing;
  };
  const std::int64_t start = place(slice.start, forwards ? lowest : highest);
  const std::int64_t stop = place(slice.stop, forwards ? highest : lowest);
  const std::int64_t distance = forwards ? stop - start : start - stop;
  if (distance <= 0) return {0, slice.step, 0};
  const std::uint64_t count =
      (static_cast<std::uint64_t>(distance) - 1) / magnitude(slice.step) + 1;
  return {static_cast<std::uint64_t>(start), slice.step, count};
}

}  // namespace safestructures::inline v0::detail
