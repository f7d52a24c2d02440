#include "compare/metrics/unmasked.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "compare/metrics/side.hpp"
#include "compare/metrics/totals.hpp"
#include "compare/metrics/ulp.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Whether b may hold masked numbers, judging by its largest magnitude.
bool may_have_masked(const TensorMetrics& found) {
  if (!found.ulp || found.ulp->at_peak == 0) return false;
  const std::optional<Grid> grid = grid_of(found.ulp->dtype);
  return grid && found.max_absolute / found.ulp->at_peak >= grid->spacing(most_filled);
}

}  // namespace

std::optional<double> UnmaskedSums::relative_l2() const {
  if (!has_masked_ || b_squares_ == 0) return std::nullopt;
  return relative_l2_of(squares_, b_squares_);
}

std::optional<double> unmasked_l2(const Tensor& a, const Tensor& b, const TensorMetrics& found) {
  if (!may_have_masked(found) || common_of(a.dtype(), b.dtype()) != Common::real)
    return std::nullopt;
  // Reading all of a tensor took three times as long as comparing it, so 64 blocks of a large one.
  constexpr std::uint64_t block = 1024;
  constexpr std::uint64_t most_blocks = 64;
  const std::uint64_t size = a.size();
  const std::uint64_t blocks = (size + block - 1) / block;
  const std::uint64_t looked_at = std::min(blocks, most_blocks);
  const auto room = static_cast<std::size_t>(std::min(size, block));
  Side side_a(a, Common::real, room);
  Side side_b(b, Common::real, room);
  UnmaskedSums sums;
  for (std::uint64_t i = 0; i < looked_at; ++i) {
    const std::uint64_t first = blocks * i / looked_at * block;
    const std::uint64_t count = std::min(block, size - first);
    for (Side* const side : {&side_a, &side_b}) {
      side->read(first, count);
      side->load(first, count);
    }
    for (std::size_t j = 0; j < count; ++j) sums.add(side_a.numbers[j], side_b.numbers[j]);
  }
  const std::optional<double> unmasked = sums.relative_l2();
  return unmasked && found.relative_l2 && *unmasked > *found.relative_l2 ? unmasked : std::nullopt;
}

std::optional<double> unmasked_l2(const FloatBlock& all) {
  UnmaskedSums sums;
  for (std::size_t i = 0; i < all.count; ++i) sums.add(float_at(all.a, i), float_at(all.b, i));
  return sums.relative_l2();
}

}  // namespace safestructures::inline v0::comparing
