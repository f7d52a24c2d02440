/// \file
/// The vector kernels of statistics give the same on every processor, and what a plain loop gives.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tools/statistics_kernels.hpp"

namespace {

namespace detail = safestructures::detail;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

/// Numbers of many sizes, a third of them zeros of both signs.
std::vector<double> make_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> exponent(-60, 60);
  std::uniform_int_distribution<int> kind(0, 5);
  std::vector<double> numbers(count);
  for (double& number : numbers) {
    const int chosen = kind(random);
    if (chosen == 0) number = 0;
    else if (chosen == 1) number = -0.0;
    else number = std::ldexp(normal(random), exponent(random));
  }
  return numbers;
}

void check_same(const detail::NumberSums& a, const detail::NumberSums& b) {
  CHECK(a.are_finite == b.are_finite);
  CHECK(bits(a.min) == bits(b.min));
  CHECK(bits(a.max) == bits(b.max));
  CHECK(bits(a.smallest) == bits(b.smallest));
  CHECK(a.zeros == b.zeros);
  CHECK(a.negative_zeros == b.negative_zeros);
  CHECK(bits(a.sum) == bits(b.sum));
  CHECK(bits(a.squares) == bits(b.squares));
}

const std::vector<std::size_t> sizes = {1, 2, 7, 8, 9, 15, 16, 127, 128, 129, 1000, 2047, 2048};

}  // namespace

TEST_CASE("statistics' kernels of every set of instructions give the same bits") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  const detail::StatisticsKernels& best = detail::statistics_kernels();
  const detail::StatisticsKernels& plain = detail::statistics_kernels(true);
  for (const std::size_t count : sizes) {
    CAPTURE(count);
    const std::vector<double> numbers = make_numbers(count, seed + count);
    check_same(best.sums(numbers), plain.sums(numbers));
    for (const double from : {0.0, 1e3, numbers.back()}) {
      const detail::Deviations found = best.deviations(numbers, from);
      const detail::Deviations other = plain.deviations(numbers, from);
      CHECK(bits(found.sum) == bits(other.sum));
      CHECK(bits(found.squares) == bits(other.squares));
    }
  }
}

TEST_CASE("statistics' kernels give what a loop over the numbers gives") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  for (const bool baseline : {false, true}) {
    CAPTURE(baseline);
    const detail::StatisticsKernels& kernels = detail::statistics_kernels(baseline);
    for (const std::size_t count : sizes) {
      CAPTURE(count);
      const std::vector<double> numbers = make_numbers(count, seed + count);
      const double from = numbers[count / 2];
      double smallest = infinity;
      std::uint64_t zeros = 0;
      std::uint64_t negative_zeros = 0;
      long double sum = 0;
      long double magnitudes = 0;
      long double squares = 0;
      long double deviations = 0;
      long double square_deviations = 0;
      for (const double number : numbers) {
        if (number == 0) ++(std::signbit(number) ? negative_zeros : zeros);
        else smallest = std::min(smallest, std::abs(number));
        const long double deviation = number - static_cast<long double>(from);
        sum += number;
        magnitudes += std::abs(static_cast<long double>(number)) + std::abs(deviation);
        squares += static_cast<long double>(number) * number;
        deviations += deviation;
        square_deviations += deviation * deviation;
      }
      const auto is_near = [](double a, long double b, long double scale) {
        return std::abs(a - b) <= 1e-14L * scale;
      };
      const detail::NumberSums found = kernels.sums(numbers);
      CHECK(found.are_finite);
      CHECK(found.min == *std::ranges::min_element(numbers));
      CHECK(found.max == *std::ranges::max_element(numbers));
      CHECK(found.smallest == smallest);
      CHECK(found.zeros == zeros + negative_zeros);
      CHECK(found.negative_zeros == negative_zeros);
      CHECK(is_near(found.sum, sum, magnitudes));
      CHECK(is_near(found.squares, squares, squares));
      const detail::Deviations other = kernels.deviations(numbers, from);
      CHECK(is_near(other.sum, deviations, magnitudes));
      CHECK(is_near(other.squares, square_deviations, square_deviations));
    }
  }
}

TEST_CASE("statistics' kernels see a number that is not finite at every place") {
  for (const bool baseline : {false, true}) {
    CAPTURE(baseline);
    const detail::StatisticsKernels& kernels = detail::statistics_kernels(baseline);
    for (const std::size_t count : {1U, 9U, 23U, 143U}) {
      for (const double other : {infinity, -infinity, std::nan("")}) {
        for (std::size_t place = 0; place < count; ++place) {
          std::vector<double> numbers(count, 1e-300);
          CHECK(kernels.sums(numbers).are_finite);
          numbers[place] = other;
          CHECK_FALSE(kernels.sums(numbers).are_finite);
        }
      }
    }
  }
}
