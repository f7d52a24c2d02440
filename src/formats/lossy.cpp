#include "formats/lossy.hpp"

#include <algorithm>
#include <cstddef>
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

}  // namespace

void StoredElements::copy(std::uint64_t first, std::uint64_t count, std::span<std::byte> target) {
  ConversionReport part = tensor_.copy_elements(first, count, stored_, target, losses_.overflow);
  const bool may_differ = losses_.lossless && tensor_.dtype() != stored_;
  const std::uint64_t changed = may_differ ? count_changed(first, count, target) : 0;
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
  const std::size_t width = std::max<std::size_t>(bit_width(dtype) / 8, 1);
  std::vector<std::byte> before;
  std::vector<std::byte> after;
  std::uint64_t changed = 0;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t more = std::min(block_elements, count - done);
    before.resize(bytes_of(more, dtype));
    after.resize(before.size());
    static_cast<void>(tensor_.copy_elements(first + done, more, dtype, before, Overflow::error));
    try {
      static_cast<void>(
          convert_elements(stored_, block.subspan(bytes_of(done, stored_), bytes_of(more, stored_)),
                           dtype, after, more, Overflow::allow));
    } catch (const Error&) {
      return changed + more;  // A NaN or imaginary part that `dtype` cannot hold: no comparison.
    }
    for (std::size_t i = 0; i < before.size(); i += width)
      changed += std::equal(before.begin() + static_cast<std::ptrdiff_t>(i),
                            before.begin() + static_cast<std::ptrdiff_t>(i + width),
                            after.begin() + static_cast<std::ptrdiff_t>(i))
                     ? 0U
                     : 1U;
    done += more;
  }
  return changed;
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
