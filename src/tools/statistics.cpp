#include <safestructures/tools/statistics.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "data/bounded.hpp"
#include "tools/doubles.hpp"
#include "tools/log_buckets.hpp"

namespace safestructures::inline v0 {
namespace {

// Fits into the first-level cache as doubles, and is a multiple of eight for packed elements.
constexpr std::size_t block_size = 2048;
// The number of sums at a time: as many as two vector registers hold.
constexpr std::size_t lanes = 8;
// The number of values added one after another to each of them.
constexpr std::size_t added_together = 16;
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

/// Returns the moments of a block's finite numbers, by sums in lanes, which the compiler keeps in
/// vector registers.
template <class Sum>
Moments moments_of(std::span<const double> values, double origin) {
  const auto add_all = [&](const auto& term) {
    Sum sums[lanes] = {};
    std::size_t i = 0;
    while (i + lanes <= values.size()) {
      // One long sum of equal numbers would round 256 times in the same direction.
      const std::size_t end = i + std::min((values.size() - i) / lanes, added_together) * lanes;
      Sum parts[lanes] = {};
      for (; i < end; i += lanes)
        for (std::size_t k = 0; k < lanes; ++k) parts[k] += term(static_cast<Sum>(values[i + k]));
      for (std::size_t k = 0; k < lanes; ++k) sums[k] += parts[k];
    }
    for (; i < values.size(); ++i) sums[0] += term(static_cast<Sum>(values[i]));
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  };
  if (values.empty()) return {};
  const auto count = static_cast<Sum>(values.size());
  const Sum mean = add_all([](Sum x) { return x; }) / count;
  // The sum of deviations would be 0 but for rounding; the rest corrects the squares.
  const Sum rest = add_all([mean](Sum x) { return x - mean; });
  const Sum deviations =
      add_all([mean](Sum x) { return (x - mean) * (x - mean); }) - rest * rest / count;
  const Wide from_origin = static_cast<Wide>(mean) - static_cast<Wide>(origin);
  return {static_cast<Wide>(count), from_origin + static_cast<Wide>(rest) / count,
          static_cast<Wide>(std::max(deviations, Sum{0})),
          static_cast<Wide>(add_all([](Sum x) { return x * x; }))};
}

class Statistics {
 public:
  /// Adds a block and changes it.
  void add(std::span<double> values);
  [[nodiscard]] TensorStatistics result() const;

 private:
  void count_others(std::span<double>& values);

  TensorStatistics found_;
  detail::LogBuckets buckets_;
  std::uint64_t negative_zeros_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  double origin_ = 0;
  Moments moments_;
};

/// Counts the numbers that are not finite, and moves the finite ones together.
void Statistics::count_others(std::span<double>& values) {
  std::size_t kept = 0;
  for (const double value : values) {
    if (std::isnan(value)) ++found_.nan;
    else if (std::isinf(value))
      ++(value > 0 ? found_.positive_infinities : found_.negative_infinities);
    else values[kept++] = value;
  }
  values = values.first(kept);
}

void Statistics::add(std::span<double> values) {
  found_.count += values.size();
  // 0 for finite numbers, NaN for others, which detects them without a branch for each.
  double check[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) check[k] += values[i + k] * 0.0;
  for (; i < values.size(); ++i) check[0] += values[i] * 0.0;
  if (std::ranges::any_of(check, [](double x) { return x != 0; })) count_others(values);
  if (values.empty()) return;

  double least[lanes];
  double most[lanes];
  double smallest[lanes];  // Magnitudes other than zero.
  std::uint64_t zeros[lanes] = {};
  std::uint64_t negative_zeros[lanes] = {};
  std::ranges::fill(least, values[0]);
  std::ranges::fill(most, values[0]);
  std::ranges::fill(smallest, std::numeric_limits<double>::infinity());
  const auto take = [&](double value, std::size_t k) {
    least[k] = value < least[k] ? value : least[k];
    most[k] = value > most[k] ? value : most[k];
    const double magnitude =
        value == 0 ? std::numeric_limits<double>::infinity() : std::fabs(value);
    smallest[k] = magnitude < smallest[k] ? magnitude : smallest[k];
    zeros[k] += value == 0 ? 1U : 0U;
    negative_zeros[k] += std::bit_cast<std::uint64_t>(value) == std::uint64_t{1} << 63U ? 1U : 0U;
  };
  for (i = 0; i + lanes <= values.size(); i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) take(values[i + k], k);
  for (; i < values.size(); ++i) take(values[i], 0);
  const double min = *std::ranges::min_element(least);
  const double max = *std::ranges::max_element(most);
  min_ = std::min(min_, min);
  max_ = std::max(max_, max);
  const double least_magnitude = *std::ranges::min_element(smallest);
  const double most_magnitude = std::max(-min, max);
  const bool is_fast = most_magnitude <= largest_fast && least_magnitude >= smallest_fast;
  if (moments_.count == 0) origin_ = values[0];
  moments_.merge(is_fast ? moments_of<double>(values, origin_) : moments_of<Wide>(values, origin_));
  for (std::size_t k = 0; k < lanes; ++k) {
    found_.zeros += zeros[k];
    negative_zeros_ += negative_zeros[k];
  }
  buckets_.add(values, least_magnitude, most_magnitude);
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
