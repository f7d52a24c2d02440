#include "compare/metrics/angle.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "compare/metrics/side.hpp"

namespace safestructures::inline v0::comparing {

bool are_far_apart(Sums::Wide a_squares, Sums::Wide b_squares) noexcept {
  constexpr Sums::Wide most = 0x1p20;  // For the squares.
  return a_squares != 0 && b_squares != 0 &&
         (a_squares > most * b_squares || b_squares > most * a_squares);
}

void measure_angle(const Tensor& a, const Tensor& b, const Sums& sums, TensorMetrics& found) {
  constexpr std::uint64_t read_size = std::uint64_t{1} << 15U;
  const Common common = common_of(a.dtype(), b.dtype());
  // Whole groups of eight, as packed elements require.
  const std::uint64_t most = (a.size() + 7) / 8 * 8;
  const auto room = static_cast<std::size_t>(std::clamp(
      std::max(a.block_elements(read_size), b.block_elements(read_size)), std::uint64_t{8}, most));
  Side left(a, common, room);
  Side right(b, common, room);
  Sums::Wide product = 0;
  for (std::uint64_t first = 0; first < a.size(); first += room) {
    const std::uint64_t count = std::min<std::uint64_t>(room, a.size() - first);
    left.read(first, count);
    right.read(first, count);
    left.load(first, count);
    right.load(first, count);
    const std::size_t used = static_cast<std::size_t>(count) * (common == Common::complex ? 2 : 1);
    for (std::size_t i = 0; i < used; ++i)
      if (std::isfinite(left.numbers[i]) && std::isfinite(right.numbers[i]))
        product +=
            static_cast<Sums::Wide>(left.numbers[i]) * static_cast<Sums::Wide>(right.numbers[i]);
  }
  const Sums::Wide cosine = std::clamp<Sums::Wide>(
      product / (std::sqrt(sums.a_squares) * std::sqrt(sums.b_squares)), -1, 1);
  found.cosine = static_cast<double>(cosine);
  found.cosine_distance = static_cast<double>(1 - cosine);
}

}  // namespace safestructures::inline v0::comparing
