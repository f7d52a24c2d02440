#include "data/conversion/convert_strided.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {
namespace {

// Together with the result it fits into a core's second-level cache.
constexpr std::size_t block_bytes = std::size_t{256} << 10U;
// How many rows of a matrix are processed together, so that each column gives whole cache lines and
// one address translation serves several of them: if columns are pages apart, translations cost
// more than the rest.
constexpr std::uint64_t rows_together = 128;

class Conversion {
 public:
  Conversion(const StridedView& view, DType from, DType to, Overflow overflow)
      : view_(view),
        from_(from),
        to_(to),
        overflow_(overflow),
        width_(element_bytes(from)),
        most_(block_bytes / width_) {}

  ConversionReport run(std::uint64_t first, std::uint64_t count, std::span<std::byte> target) {
    first_ = first;
    target_ = target;
    block_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count, most_)) * width_);
    const auto matrix = view_.column_major();
    if (!matrix || element_bytes(to_) == 0) {
      take_range(first, first + count);
      return report_;
    }
    try {
      take_rows(*matrix, first + count);
    } catch (const Error&) {
      // If there are several errors, the first one counts: this finds it.
      take_range(first, first + count);
    }
    return report_;
  }

 private:
  void take_range(std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      const std::uint64_t count = std::min<std::uint64_t>(most_, end - begin);
      view_.gather(begin, count, block_.data());
      put(begin, count);
      begin += count;
    }
  }

  void take_rows(StridedView::Extent matrix, std::uint64_t end) {
    const std::uint64_t columns = matrix.columns;
    const std::uint64_t top = (first_ + columns - 1) / columns;
    const std::uint64_t bottom = end / columns;
    if (top >= bottom) return take_range(first_, end);
    take_range(first_, top * columns);
    for (std::uint64_t row = top; row < bottom; row += rows_together)
      take_panel(row, {std::min(rows_together, bottom - row), columns});
    take_range(bottom * columns, end);
  }

  /// Converts whole rows, with as many columns at once as fit into a block.
  void take_panel(std::uint64_t row, StridedView::Extent panel) {
    const std::uint64_t most = std::max<std::uint64_t>(block_.size() / width_ / panel.rows, 1);
    for (std::uint64_t column = 0; column < panel.columns; column += most) {
      const StridedView::Extent part{panel.rows, std::min(most, panel.columns - column)};
      view_.part(row, column, part).gather(0, part.rows * part.columns, block_.data());
      if (part.columns == panel.columns) put(row * panel.columns, part.rows * part.columns);
      else put_part(row, column, part, panel.columns);
    }
  }

  /// Returns the offset of an element's bytes in the target.
  [[nodiscard]] std::size_t place(std::uint64_t element) const {
    return static_cast<std::size_t>((element - first_) * bit_width(to_) / 8);
  }

  /// Converts the block, whose elements are consecutive from `begin` on.
  void put(std::uint64_t begin, std::uint64_t count) {
    const auto size = static_cast<std::size_t>((count * bit_width(to_) + 7) / 8);
    add(convert_block(count, target_.subspan(place(begin), size), begin));
  }

  /// Converts the block as a whole, which is faster in pieces of thousands, and then copies its
  /// rows to their places.
  void put_part(std::uint64_t row, std::uint64_t column, StridedView::Extent part,
                std::uint64_t columns) {
    const std::uint64_t count = part.rows * part.columns;
    const std::size_t width = element_bytes(to_);
    converted_.resize(static_cast<std::size_t>(count) * width);
    const auto element = [&](std::uint64_t i) {
      return (row + i / part.columns) * columns + column + i % part.columns;
    };
    ConversionReport report = convert_block(count, converted_, 0);
    if (report.first_overflow) report.first_overflow = element(*report.first_overflow);
    add(report);
    const std::size_t size = static_cast<std::size_t>(part.columns) * width;
    for (std::uint64_t i = 0; i < part.rows; ++i)
      std::memcpy(target_.data() + place(element(i * part.columns)),
                  converted_.data() + static_cast<std::size_t>(i) * size, size);
  }

  ConversionReport convert_block(std::uint64_t count, std::span<std::byte> target,
                                 std::uint64_t begin) {
    const auto source = std::span(block_).first(static_cast<std::size_t>(count) * width_);
    return convert_elements(from_, source, to_, target, count, overflow_, begin);
  }

  /// Blocks are not processed in the order of their elements.
  void add(ConversionReport part) {
    if (part.first_overflow && report_.first_overflow > part.first_overflow)
      std::swap(part.first_overflow, report_.first_overflow);
    report_ += part;
  }

  const StridedView& view_;
  DType from_;
  DType to_;
  Overflow overflow_;
  std::size_t width_;
  std::size_t most_;
  std::uint64_t first_ = 0;
  std::span<std::byte> target_;
  std::vector<std::byte> block_;
  std::vector<std::byte> converted_;
  ConversionReport report_;
};

}  // namespace

ConversionReport convert_strided(const StridedView& view, DType from, DType to, std::uint64_t first,
                                 std::uint64_t count, std::span<std::byte> target,
                                 Overflow overflow) {
  return Conversion(view, from, to, overflow).run(first, count, target);
}

}  // namespace safestructures::inline v0::detail
