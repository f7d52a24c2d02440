#include "compare/metrics/unmasked.hpp"

#include <algorithm>
#include <cmath>
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

/// Sums over the numbers that are finite in both and not masked on both sides.
/// \tparam Sum can hold their squares
template <class Sum>
class UnmaskedSums {
 public:
  void add(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    if (a <= most_filled && b <= most_filled) {
      has_masked_ = true;
      return;
    }
    const auto reference = static_cast<Sum>(b);
    const Sum apart = static_cast<Sum>(a) - reference;
    squares_ += apart * apart;
    b_squares_ += reference * reference;
  }
  /// Returns |a - b| / |b| of them, as in `TensorMetrics`. Null if nothing is masked, or if b is
  /// zero everywhere else.
  [[nodiscard]] std::optional<double> relative_l2() const {
    if (!has_masked_ || b_squares_ == 0) return std::nullopt;
    return relative_l2_of(static_cast<Sums::Wide>(squares_), static_cast<Sums::Wide>(b_squares_));
  }

 private:
  Sum squares_ = 0;
  Sum b_squares_ = 0;
  bool has_masked_ = false;
};

}  // namespace

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
  UnmaskedSums<Sums::Wide> sums;
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
  UnmaskedSums<double> sums;
  for (std::size_t i = 0; i < all.count; ++i) sums.add(float_at(all.a, i), float_at(all.b, i));
  return sums.relative_l2();
}

}  // namespace safestructures::inline v0::comparing
