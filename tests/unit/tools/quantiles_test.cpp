/// \file
/// Quantiles of a tensor's statistics are as near to those of its sorted numbers as is said.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/tensor.hpp>
#include <safestructures/tools/statistics.hpp>

namespace {

namespace ss = safestructures;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr auto probabilities = ss::TensorStatistics::probabilities;

/// The numbers that quantiles are estimates of.
std::vector<double> sorted_quantiles(std::vector<double> numbers) {
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  std::ranges::sort(numbers);
  std::vector<double> found;
  for (const double probability : probabilities)
    found.push_back(numbers[static_cast<std::size_t>(
        std::floor(probability * static_cast<double>(numbers.size() - 1)))]);
  return found;
}

void check_bound(const ss::Tensor& tensor) {
  const std::vector<double> expected =
      sorted_quantiles(tensor.to(ss::DType::F64).to_vector<double>());
  const ss::TensorStatistics found = ss::statistics(tensor);
  REQUIRE(found.quantiles);
  CHECK(std::ranges::is_sorted(*found.quantiles));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double quantile = (*found.quantiles)[i];
    CAPTURE(probabilities[i]);
    CAPTURE(expected[i]);
    CAPTURE(quantile);
    if (std::isinf(expected[i])) CHECK(quantile == expected[i]);
    else CHECK(std::abs(quantile - expected[i]) <= std::abs(expected[i]) / 32 + 0x1p-1027);
  }
}

std::vector<double> quantiles_of(const std::vector<double>& numbers) {
  const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(numbers));
  REQUIRE(found.quantiles);
  return {found.quantiles->begin(), found.quantiles->end()};
}

}  // namespace

TEST_CASE("quantiles are off by at most a thirty-second of themselves") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  const std::vector<std::pair<std::string, std::function<double()>>> kinds = {
      {"normal", [&] { return normal(random); }},
      {"small", [&] { return 1e-3 * normal(random); }},
      {"lognormal", [&] { return std::exp(5 * normal(random)); }},
      {"negative", [&] { return -std::exp(normal(random)); }},
      {"mostly zeros", [&] { return uniform(random) < 0.8 ? 0 : normal(random); }},
      {"far from zero", [&] { return 1000 + normal(random); }},
      {"of all sizes",
       [&] { return std::ldexp(normal(random), static_cast<int>(2000 * uniform(random)) - 1000); }},
      {"among the least", [&] { return std::ldexp(normal(random), -1030); }},
      {"with NaN and infinities",
       [&] {
         const double kind = uniform(random);
         if (kind < 0.1) return not_a_number;
         if (kind < 0.2) return kind < 0.15 ? infinity : -infinity;
         return normal(random);
       }},
  };
  for (const auto& kind : kinds)
    for (const std::size_t size : {1U, 2U, 17U, 2048U, 2049U, 30'000U}) {
      CAPTURE(kind.first);
      CAPTURE(size);
      std::vector<double> numbers(size);
      for (double& one : numbers) one = kind.second();
      numbers[0] = 1;  // One at least is no NaN.
      check_bound(ss::Tensor::of<double>(numbers));
      // From small to large and back, binades come one by one.
      std::ranges::sort(numbers);
      check_bound(ss::Tensor::of<double>(numbers));
      std::ranges::reverse(numbers);
      check_bound(ss::Tensor::of<double>(numbers));
    }
}

TEST_CASE("quantiles are those of every dtype") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(2, 20);
  std::vector<double> numbers(3000);
  for (double& number : numbers) number = std::clamp(normal(random), -60.0, 60.0);
  std::vector<double> whole = numbers;
  for (double& number : whole) number = std::abs(std::nearbyint(number));
  for (const ss::DType dtype :
       {ss::DType::F64, ss::DType::F32, ss::DType::F16, ss::DType::BF16, ss::DType::F8_E4M3,
        ss::DType::F8_E5M2, ss::DType::I8, ss::DType::U8, ss::DType::I32, ss::DType::U64}) {
    CAPTURE(ss::to_string(dtype));
    const bool is_whole = !ss::is_floating(dtype);
    check_bound(ss::Tensor::of<double>(is_whole ? whole : numbers).to(dtype));
  }
}

TEST_CASE("quantiles of equal numbers are the number, of nothing there are none") {
  for (const double number : {0.0, -0.0, 1.03, -7.9, 1e300, 0x1p-1022, infinity, -infinity})
    for (const std::size_t count : {1U, 2U, 5000U}) {
      CAPTURE(number);
      for (const double quantile : quantiles_of(std::vector<double>(count, number)))
        CHECK(quantile == number);
    }
  CHECK(!ss::statistics(ss::Tensor()).quantiles);
  const std::vector<double> none = {not_a_number, not_a_number};
  CHECK(!ss::statistics(ss::Tensor::of<double>(none)).quantiles);
}

TEST_CASE("numbers of a bucket are spread over it, no further than the extremes") {
  // All are between 32 and 33, one bucket of which the extremes are the ends.
  std::vector<double> numbers(1001);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 32.25 + static_cast<double>(i) / 2000;
  const std::vector<double> found = quantiles_of(numbers);
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(32.25 + probabilities[i] / 2).epsilon(1e-4));
  // Zeros of both signs are one number, between the others.
  const std::vector<double> around = {-0.0, 0.0, 3, -3};
  CHECK(quantiles_of(around)[9] == 0);
}

TEST_CASE("real and imaginary parts have quantiles together") {
  const std::vector<std::complex<float>> numbers = {{1, -1}, {1, -1}, {1, -1}};
  const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<std::complex<float>>(numbers));
  REQUIRE(found.quantiles);
  CHECK(found.quantiles->front() == -1);
  CHECK((*found.quantiles)[10] == -1);
  CHECK((*found.quantiles)[11] > 0.96);
}

TEST_CASE("a structure of statistics has the quantiles, if there are any") {
  const std::vector<float> values = {1, -2, NAN};
  const ss::Tensor tensor = ss::Tensor::of<float>(values);
  const ss::Value value = ss::statistics_value(tensor);
  const std::vector<double> kept = value["quantiles"].tensor().to_vector<double>();
  CHECK(std::ranges::equal(kept, *ss::statistics(tensor).quantiles));
  const ss::Value nothing = ss::statistics_value(ss::Tensor());
  CHECK(nothing.find("quantiles") == nullptr);
}
