#include "formats/lossy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {
namespace {

// Fits into the cache with what it is compared with. A multiple of 8, for packed elements.
constexpr std::uint64_t block_elements = std::uint64_t{16} << 10U;

std::size_t bytes_of(std::uint64_t count, DType dtype) {
  const std::uint64_t width = bit_width(dtype);
  return static_cast<std::size_t>(count / 8 * width + (count % 8 * width + 7) / 8);
}

/// Compares original elements with stored ones that are converted back, block by block.
class RoundTrip {
 public:
  RoundTrip(DType original, DType stored)
      : original_(original),
        stored_(stored),
        width_(std::max<std::size_t>(bit_width(original) / 8, 1)) {}

  /// Returns room for the originals of the next block.
  std::span<std::byte> originals(std::uint64_t count) {
    before_.resize(bytes_of(count, original_));
    return before_;
  }

  void add(std::span<const std::byte> stored, std::uint64_t count) {
    after_.resize(before_.size());
    try {
      static_cast<void>(
          convert_elements(stored_, stored, original_, after_, count, Overflow::allow));
    } catch (const Error&) {
      changed_ += count;  // A NaN or imaginary part that the original dtype cannot hold.
      return;
    }
    for (std::size_t i = 0; i < before_.size(); i += width_)
      changed_ += std::memcmp(before_.data() + i, after_.data() + i, width_) == 0 ? 0U : 1U;
  }

  [[nodiscard]] std::uint64_t changed() const noexcept { return changed_; }

 private:
  DType original_;
  DType stored_;
  std::size_t width_;
  std::vector<std::byte> before_;
  std::vector<std::byte> after_;
  std::uint64_t changed_ = 0;
};

StridedView view_of(const Tensor& tensor) {
  return {tensor.shape(), tensor.strides(), tensor.origin(), element_bytes(tensor.dtype())};
}

}  // namespace

void StoredElements::copy(std::uint64_t first, std::uint64_t count, std::span<std::byte> target) {
  const ConversionReport part =
      tensor_.copy_elements(first, count, stored_, target, losses_.overflow);
  add(part, may_differ() ? count_changed(first, count, target) : 0);
}

std::optional<StridedView::Extent> StoredElements::as_matrix(std::size_t block) const {
  const std::size_t width = element_bytes(stored_);
  if (tensor_.is_contiguous() || width == 0) return std::nullopt;
  return view_of(tensor_).as_matrix(block / width);
}

void StoredElements::copy_part(std::uint64_t row_size, const MatrixPart& part,
                               std::span<std::byte> target) {
  const ConversionReport report = safestructures::detail::copy_part(
      view_of(tensor_), row_size, part, tensor_.dtype(), stored_, target, losses_.overflow);
  add(report, may_differ() ? count_changed(row_size, part, target) : 0);
}

bool StoredElements::may_differ() const noexcept {
  return losses_.lossless && tensor_.dtype() != stored_;
}

void StoredElements::add(ConversionReport part, std::uint64_t changed) {
  if (part == ConversionReport{} && changed == 0) return;
  const std::lock_guard lock(mutex_);
  // Pieces arrive in any order.
  if (part.first_overflow < report_.first_overflow) std::swap(part, report_);
  report_ += part;
  changed_ += changed;
}

std::uint64_t StoredElements::count_changed(std::uint64_t first, std::uint64_t count,
                                            std::span<const std::byte> block) const {
  const DType dtype = tensor_.dtype();
  RoundTrip trip(dtype, stored_);
  for (std::uint64_t done = 0; done < count; done += block_elements) {
    const std::uint64_t more = std::min(block_elements, count - done);
    const std::span before = trip.originals(more);
    static_cast<void>(tensor_.copy_elements(first + done, more, dtype, before, Overflow::error));
    trip.add(block.subspan(bytes_of(done, stored_), bytes_of(more, stored_)), more);
  }
  return trip.changed();
}

std::uint64_t StoredElements::count_changed(std::uint64_t row_size, const MatrixPart& part,
                                            std::span<const std::byte> block) const {
  const DType dtype = tensor_.dtype();
  const StridedView view = view_of(tensor_);
  const std::size_t width = element_bytes(stored_);
  const std::size_t row_bytes = static_cast<std::size_t>(part.columns) * width;
  const std::uint64_t most = std::max<std::uint64_t>(block_elements / part.rows, 1);
  RoundTrip trip(dtype, stored_);
  std::vector<std::byte> kept;
  for (std::uint64_t done = 0; done < part.columns; done += most) {
    const std::uint64_t columns = std::min(most, part.columns - done);
    const std::uint64_t count = part.rows * columns;
    const std::span before = trip.originals(count);
    static_cast<void>(safestructures::detail::copy_part(
        view, row_size, {part.row, part.rows, part.column + done, columns}, dtype, dtype, before,
        Overflow::error));
    kept.clear();
    for (std::uint64_t row = 0; row < part.rows; ++row) {
      const auto piece = block.subspan(
          static_cast<std::size_t>(row) * row_bytes + static_cast<std::size_t>(done) * width,
          static_cast<std::size_t>(columns) * width);
      kept.insert(kept.end(), piece.begin(), piece.end());
    }
    trip.add(kept, count);
  }
  return trip.changed();
}

ConversionReport StoredElements::finish(std::string_view name) const {
  const bool is_lossy = report_ != ConversionReport{};
  const bool refused =
      (losses_.lossless && (is_lossy || changed_ > 0)) || (losses_.refuse_range_losses && is_lossy);
  if (!refused) return report_;
  std::string found;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    found += (found.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(what);
  };
  add(report_.overflow, "out of range");
  add(report_.underflow, "that became zero");
  add(report_.inexact, "not exact");
  add(report_.nan_changes, "NaN changed");
  const std::uint64_t told =
      report_.overflow + report_.underflow + report_.inexact + report_.nan_changes;
  add(changed_ - std::min(changed_, told), "rounded");
  throw Error(
      ErrorCode::lossy_conversion, "a conversion changed values of a tensor",
      {.path = std::string(name),
       .expected = "all values of " + std::string(to_string(tensor_.dtype())) + " kept in " +
                   std::string(to_string(stored_)),
       .found = found,
       .advice = losses_.lossless ? "Store it in its own dtype, or do not require a lossless save"
                                  : "Store it in its own dtype, or do not refuse range losses"});
}

}  // namespace safestructures::inline v0::detail
