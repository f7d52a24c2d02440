#include "tools/statistics_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "platform/vectors.hpp"

namespace safestructures::inline v0::detail {
namespace {

using platform::Lanes;
using platform::lanes;

using LaneNumbers = std::array<double, lanes>;

// The rows of lanes added one after another: one long sum of equal numbers would round 256 times in
// the same direction.
constexpr std::size_t rows_together = 16;

/// Adds the sums of all lanes, always in the same order.
double together(const LaneNumbers& sums) {
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

template <class Vectors>
struct StatisticsIn : Lanes<Vectors> {
  using Base = Lanes<Vectors>;
  using Base::width;
  using typename Base::Numbers;
  using typename Base::Words;
  using UnsignedWords = typename Vectors::UnsignedWords;

  /// Calls `add(numbers, parts)` for the numbers of each row in some lanes, and `end(parts)` for
  /// what `rows_together` of them add up to.
  template <class Parts, class Add, class End>
  [[gnu::always_inline]] static void each_row(std::span<const double> numbers, std::size_t lane,
                                              const Add& add, const End& end) {
    const std::size_t rows = numbers.size() / lanes;
    for (std::size_t row = 0; row < rows;) {
      Parts parts{};
      for (const std::size_t last = std::min(rows, row + rows_together); row < last; ++row) {
        Numbers some;
        Base::load(some, numbers, row * lanes + lane);
        add(some, parts);
      }
      end(parts);
    }
  }

  struct Sums {
    Numbers sum, squares;
  };

  [[gnu::always_inline]] static NumberSums sums(std::span<const double> numbers) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr auto infinite = std::bit_cast<std::int64_t>(infinity);
    LaneNumbers check{}, least{}, most{}, smallest{}, sum{}, squares{};
    NumberSums all;
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers lane_check{}, lane_sum{}, lane_squares{};
      Numbers lane_least = lane_check + numbers[0];
      Numbers lane_most = lane_least;
      Numbers lane_smallest = lane_check + infinity;
      Words zeros{};
      UnsignedWords negative_zeros{};
      each_row<Sums>(
          numbers, lane,
          [&](Numbers& some, Sums& parts) {
            // 0 for finite numbers, NaN for others.
            lane_check += some * 0.0;
            lane_least = some < lane_least ? some : lane_least;
            lane_most = some > lane_most ? some : lane_most;
            parts.sum += some;
            parts.squares += some * some;
            const Words is_zero = some == 0.0;
            zeros += is_zero;
            negative_zeros +=
                reinterpret_cast<UnsignedWords>(reinterpret_cast<Words>(some) & is_zero) >> 63U;
            Base::make_absolute(some);
            const auto magnitude =
                reinterpret_cast<Numbers>(reinterpret_cast<Words>(some) | (is_zero & infinite));
            lane_smallest = magnitude < lane_smallest ? magnitude : lane_smallest;
          },
          [&](const Sums& parts) {
            lane_sum += parts.sum;
            lane_squares += parts.squares;
          });
      Base::store(lane_check, &check[lane]);
      Base::store(lane_least, &least[lane]);
      Base::store(lane_most, &most[lane]);
      Base::store(lane_smallest, &smallest[lane]);
      Base::store(lane_sum, &sum[lane]);
      Base::store(lane_squares, &squares[lane]);
      all.zeros += Base::count_of(zeros);
      for (std::size_t i = 0; i < width; ++i) all.negative_zeros += negative_zeros[i];
    }
    for (const double number : numbers.last(numbers.size() % lanes)) {
      check[0] += number * 0.0;
      least[0] = number < least[0] ? number : least[0];
      most[0] = number > most[0] ? number : most[0];
      sum[0] += number;
      squares[0] += number * number;
      if (number != 0) smallest[0] = std::min(smallest[0], std::fabs(number));
      else if (++all.zeros; std::signbit(number)) ++all.negative_zeros;
    }
    all.are_finite = together(check) == 0;
    all.min = *std::ranges::min_element(least);
    all.max = *std::ranges::max_element(most);
    all.smallest = *std::ranges::min_element(smallest);
    all.sum = together(sum);
    all.squares = together(squares);
    return all;
  }

  [[gnu::always_inline]] static Deviations deviations(std::span<const double> numbers,
                                                      const double from) {
    LaneNumbers sum{}, squares{};
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers lane_sum{}, lane_squares{};
      each_row<Sums>(
          numbers, lane,
          [&](const Numbers& some, Sums& parts) {
            const Numbers deviation = some - from;
            parts.sum += deviation;
            parts.squares += deviation * deviation;
          },
          [&](const Sums& parts) {
            lane_sum += parts.sum;
            lane_squares += parts.squares;
          });
      Base::store(lane_sum, &sum[lane]);
      Base::store(lane_squares, &squares[lane]);
    }
    for (const double number : numbers.last(numbers.size() % lanes)) {
      const double deviation = number - from;
      sum[0] += deviation;
      squares[0] += deviation * deviation;
    }
    return {together(sum), together(squares)};
  }
};

struct Baseline {
  using Kernels = StatisticsIn<platform::TwoLanes>;

  static NumberSums sums(std::span<const double> numbers) { return Kernels::sums(numbers); }
  static Deviations deviations(std::span<const double> numbers, double from) {
    return Kernels::deviations(numbers, from);
  }
};

#if defined(__x86_64__)
struct Avx2 {
  using Kernels = StatisticsIn<platform::FourLanes>;

  [[gnu::target("avx2")]] static NumberSums sums(std::span<const double> numbers) {
    return Kernels::sums(numbers);
  }
  [[gnu::target("avx2")]] static Deviations deviations(std::span<const double> numbers,
                                                       double from) {
    return Kernels::deviations(numbers, from);
  }
};
#endif

template <class Set>
constexpr StatisticsKernels kernels_of{&Set::sums, &Set::deviations};

}  // namespace

const StatisticsKernels& statistics_kernels([[maybe_unused]] bool baseline) noexcept {
#if defined(__x86_64__)
  if (platform::has_avx2() && !baseline) return kernels_of<Avx2>;
#endif
  return kernels_of<Baseline>;
}

}  // namespace safestructures::inline v0::detail
