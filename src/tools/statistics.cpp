#include <safestructures/tools/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "data/bounded.hpp"
#include "tools/doubles.hpp"
#include "tools/log_buckets.hpp"
#include "tools/statistics_kernels.hpp"

namespace safestructures::inline v0 {
namespace {

// Fits into the first-level cache as doubles, and is a multiple of eight for packed elements.
constexpr std::size_t block_size = 2048;
// Squares of larger or smaller numbers leave the range of a double.
constexpr double largest_fast = 0x1p+500;
constexpr double smallest_fast = 0x1p-480;

// Moments of blocks are merged in this type: its range holds the squares of all doubles.
using Wide = long double;

/// The mean, squared deviations from it, and squares of some numbers.
struct Moments {
  Wide count = 0;
  Wide mean = 0;  // Relative to an origin among the numbers: a large mean would lose their digits.
  Wide deviations = 0;
  Wide squares = 0;

  /// By Chan, Golub, LeVeque (1979): updating formulas for moments.
  void merge(const Moments& other) {
    if (other.count == 0) return;
    const Wide all = count + other.count;
    const Wide difference = other.mean - mean;
    mean += difference * (other.count / all);
    deviations += other.deviations + difference * difference * (count * other.count / all);
    squares += other.squares;
    count = all;
  }
};

/// Sums over the numbers of a block.
struct BlockSums {
  Wide mean;        // But for rounding.
  Wide deviations;  // From this mean, so that their sum is rounding alone.
  Wide square_deviations;
  Wide squares;
};

/// Returns the sums over numbers whose squares stay in the range of a double.
BlockSums fast_sums(std::span<const double> numbers, const detail::NumberSums& sums) {
  const double mean = sums.sum / static_cast<double>(numbers.size());
  const detail::Deviations found = detail::statistics_kernels().deviations(numbers, mean);
  return {mean, found.sum, found.squares, sums.squares};
}

/// Returns the sums over finite numbers of any size.
BlockSums wide_sums(std::span<const double> numbers) {
  const auto sum = [&](const auto& term) {
    Wide all = 0;
    for (const double number : numbers) all += term(static_cast<Wide>(number));
    return all;
  };
  const Wide mean = sum([](Wide x) { return x; }) / static_cast<Wide>(numbers.size());
  return {mean, sum([mean](Wide x) { return x - mean; }),
          sum([mean](Wide x) { return (x - mean) * (x - mean); }),
          sum([](Wide x) { return x * x; })};
}

Moments moments_of(const BlockSums& sums, std::size_t numbers, double origin) {
  const auto count = static_cast<Wide>(numbers);
  const Wide rest = sums.deviations;
  return {count, sums.mean - static_cast<Wide>(origin) + rest / count,
          std::max(sums.square_deviations - rest * rest / count, Wide{0}), sums.squares};
}

class Statistics {
 public:
  /// Adds a block of at least one number, and changes it.
  void add(std::span<double> numbers);
  [[nodiscard]] TensorStatistics result() const;

 private:
  void count_others(std::span<double>& numbers);

  TensorStatistics found_;
  detail::LogBuckets buckets_;
  std::uint64_t negative_zeros_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  double origin_ = 0;
  Moments moments_;
};

/// Counts the numbers that are not finite, and moves the finite ones together.
void Statistics::count_others(std::span<double>& numbers) {
  std::size_t kept = 0;
  for (const double number : numbers) {
    if (std::isnan(number)) ++found_.nan;
    else if (std::isinf(number))
      ++(number > 0 ? found_.positive_infinities : found_.negative_infinities);
    else numbers[kept++] = number;
  }
  numbers = numbers.first(kept);
}

void Statistics::add(std::span<double> numbers) {
  found_.count += numbers.size();
  const auto& kernels = detail::statistics_kernels();
  detail::NumberSums sums = kernels.sums(numbers);
  if (!sums.are_finite) {
    count_others(numbers);
    if (numbers.empty()) return;
    sums = kernels.sums(numbers);
  }
  min_ = std::min(min_, sums.min);
  max_ = std::max(max_, sums.max);
  found_.zeros += sums.zeros;
  negative_zeros_ += sums.negative_zeros;
  const double largest = std::max(-sums.min, sums.max);
  const bool is_fast = largest <= largest_fast && sums.smallest >= smallest_fast;
  if (moments_.count == 0) origin_ = numbers[0];
  moments_.merge(
      moments_of(is_fast ? fast_sums(numbers, sums) : wide_sums(numbers), numbers.size(), origin_));
  buckets_.add(numbers, sums.smallest, largest);
}

TensorStatistics Statistics::result() const {
  TensorStatistics result = found_;
  if (moments_.count != 0) {
    result.min = min_;
    result.max = max_;
    result.mean = static_cast<double>(static_cast<Wide>(origin_) + moments_.mean);
    result.standard_deviation =
        static_cast<double>(std::sqrt(moments_.deviations / moments_.count));
    result.l2_norm = detail::bounded(std::sqrt(moments_.squares));
  }
  buckets_.fill(result, negative_zeros_);
  return result;
}

}  // namespace

TensorStatistics statistics(const Tensor& tensor,
                            const std::function<void(std::uint64_t elements)>& progress) {
  Statistics statistics;
  const auto add = [&](std::span<double> numbers, std::uint64_t, std::uint64_t count) {
    for (std::size_t at = 0; at < numbers.size(); at += block_size)
      statistics.add(numbers.subspan(at, std::min(block_size, numbers.size() - at)));
    if (progress) progress(count);
  };
  detail::for_each_block_in_doubles(tensor, block_size, add);
  return statistics.result();
}

}  // namespace safestructures::inline v0
