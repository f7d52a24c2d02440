#include "data/conversion/convert_strided.hpp"

#include <algorithm>
#include <vector>

#include <safestructures/data/error.hpp>

#include "data/conversion/converter.hpp"

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
  Conversion(const StridedView& view, DType from, DType to, std::uint64_t first,
             std::uint64_t count, std::byte* target, Overflow overflow)
      : view_(view),
        width_(element_bytes(from)),
        target_bits_(bit_width(to)),
        most_(block_bytes / width_),
        first_(first),
        end_(first + count),
        target_(target),
        block_(static_cast<std::size_t>(std::min<std::uint64_t>(count, most_)) * width_),
        converter_(from, to, overflow, count) {}

  ConversionReport run() {
    const auto matrix = view_.column_major();
    try {
      if (matrix && matrix->columns <= end_ - first_ && target_bits_ % 8 == 0)
        take_rows(matrix->columns);
      else take_range();
    } catch (const Error&) {
      // If there are several errors, the first one counts: this finds it.
      take_range();
    }
    return converter_.report();
  }

 private:
  void take_range() {
    for (std::uint64_t begin = first_; begin < end_; begin += most_) {
      const std::uint64_t count = std::min<std::uint64_t>(most_, end_ - begin);
      view_.gather(begin, count, block_.data());
      put(begin, count, block_.data());
    }
  }

  /// Takes all rows that the range touches, even if it begins or ends inside one, so that each
  /// column is visited once.
  void take_rows(std::uint64_t columns) {
    const std::uint64_t bottom = (end_ - 1) / columns + 1;
    for (std::uint64_t row = first_ / columns; row < bottom; row += rows_together)
      take_panel(row, {std::min(rows_together, bottom - row), columns});
  }

  /// Converts rows of all columns, with as many columns at once as fit into a block.
  void take_panel(std::uint64_t row, StridedView::Extent panel) {
    const std::uint64_t most = std::max<std::uint64_t>(most_ / panel.rows, 1);
    for (std::uint64_t column = 0; column < panel.columns; column += most) {
      const StridedView::Extent part{panel.rows, std::min(most, panel.columns - column)};
      const auto count = static_cast<std::size_t>(part.rows * part.columns);
      if (block_.size() < count * width_) block_.resize(count * width_);
      view_.part(row, column, part).gather(0, count, block_.data());
      const std::uint64_t begin = row * panel.columns + column;
      if (part.columns == panel.columns) return put(begin, count, block_.data());
      const std::size_t row_bytes = static_cast<std::size_t>(part.columns) * width_;
      for (std::uint64_t i = 0; i < part.rows; ++i)
        put(begin + i * panel.columns, part.columns, block_.data() + i * row_bytes);
    }
  }

  /// Converts consecutive elements from `begin` on, except those outside the range.
  void put(std::uint64_t begin, std::uint64_t count, const std::byte* source) {
    const std::uint64_t from = std::max(begin, first_);
    const std::uint64_t to = std::min(begin + count, end_);
    if (from >= to) return;
    converter_.convert(source + static_cast<std::size_t>(from - begin) * width_,
                       target_ + static_cast<std::size_t>((from - first_) * target_bits_ / 8),
                       to - from, from);
  }

  const StridedView& view_;
  std::size_t width_;
  std::size_t target_bits_;
  std::size_t most_;
  std::uint64_t first_;
  std::uint64_t end_;
  std::byte* target_;
  std::vector<std::byte> block_;
  Converter converter_;
};

}  // namespace

ConversionReport convert_strided(const StridedView& view, DType from, DType to, std::uint64_t first,
                                 std::uint64_t count, std::span<std::byte> target,
                                 Overflow overflow) {
  return Conversion(view, from, to, first, count, target.data(), overflow).run();
}

namespace {

ConversionReport copy_range(const StridedView& view, DType from, DType to, std::uint64_t first,
                            std::uint64_t count, std::span<std::byte> target, Overflow overflow) {
  if (from != to) return convert_strided(view, from, to, first, count, target, overflow);
  view.gather(first, count, target.data());
  return {};
}

}  // namespace

ConversionReport copy_part(const StridedView& view, std::uint64_t row_size, const MatrixPart& part,
                           DType from, DType to, std::span<std::byte> target, Overflow overflow) {
  if (view.column_major()) {
    const StridedView inside = view.part(part.row, part.column, {part.rows, part.columns});
    ConversionReport report =
        copy_range(inside, from, to, 0, part.rows * part.columns, target, overflow);
    if (report.first_overflow) {
      const std::uint64_t place = *report.first_overflow;
      report.first_overflow =
          (part.row + place / part.columns) * row_size + part.column + place % part.columns;
    }
    return report;
  }
  ConversionReport report;
  const std::size_t size = target.size() / static_cast<std::size_t>(part.rows);
  for (std::uint64_t i = 0; i < part.rows; ++i) {
    report += copy_range(view, from, to, (part.row + i) * row_size + part.column, part.columns,
                         target.subspan(static_cast<std::size_t>(i) * size, size), overflow);
  }
  return report;
}

}  // namespace safestructures::inline v0::detail
