/// \file
/// A watch reports the first number beyond its magnitude, infinite or NaN, in tensors of every
/// dtype.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/slice.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/recording/options.hpp>
#include "recording/recorder/watch.hpp"

namespace {

namespace ss = safestructures;

using ss::recording::find_watched;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::optional<ss::WatchFinding> find(const ss::Tensor& tensor, const ss::Watch& watch) {
  return find_watched(ss::Value(tensor), watch);
}

/// What a watch is documented to report.
bool is_watched(double number, const ss::Watch& watch) {
  if (std::isnan(number)) return watch.nan;
  if (std::isinf(number)) return watch.infinity;
  return std::abs(number) > watch.magnitude;
}

std::vector<double> in_doubles(ss::DType dtype, std::span<const std::uint16_t> patterns) {
  std::vector<double> numbers(patterns.size());
  ss::convert_elements(dtype, std::as_bytes(patterns), ss::DType::F64,
                       std::as_writable_bytes(std::span(numbers)), patterns.size());
  return numbers;
}

}  // namespace

TEST_CASE("of all numbers of 16 bits, a watch reports those beyond its magnitude") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<std::uint16_t> patterns(65'536);
  std::iota(patterns.begin(), patterns.end(), std::uint16_t{0});
  for (const ss::DType dtype : {ss::DType::F16, ss::DType::BF16}) {
    CAPTURE(ss::to_string(dtype));
    const std::vector<double> numbers = in_doubles(dtype, patterns);
    std::vector<double> magnitudes = {0,     0x1p-25, 0x1p-24, 0x1p-14, 1,
                                      65504, 65505,   1e30,    infinity};
    for (int i = 0; i < 6; ++i) {
      const double number = std::abs(numbers[random() % numbers.size()]);
      if (std::isnan(number)) continue;
      magnitudes.insert(magnitudes.end(),
                        {number, std::nextafter(number, infinity), std::nextafter(number, 0.0)});
    }
    for (const double magnitude : magnitudes) {
      CAPTURE(magnitude);
      ss::Watch watch;
      watch.magnitude = magnitude;
      watch.nan = random() % 2 == 0;
      watch.infinity = random() % 2 == 0;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        const auto one = ss::Tensor::borrow(
            dtype, {1}, std::as_bytes(std::span<const std::uint16_t>(patterns)).subspan(2 * i, 2));
        if (find(one, watch).has_value() != is_watched(numbers[i], watch)) ++wrong;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_TEMPLATE("a magnitude is exact for a watch", Number, float, double) {
  for (const double magnitude :
       {0.0, 1e-320, 1e-45, 0.1, 1.0, 1e30, 3.5e38, 1e300, std::numeric_limits<double>::max()}) {
    CAPTURE(magnitude);
    ss::Watch watch;
    watch.magnitude = magnitude;
    const auto near = static_cast<Number>(
        std::min<double>(magnitude, static_cast<double>(std::numeric_limits<Number>::max())));
    const Number next = std::nextafter(near, std::numeric_limits<Number>::max());
    for (const Number number : {near, -near, next, -next, std::nextafter(near, Number{0})}) {
      const std::array<Number, 1> numbers = {number};
      const auto found = find(ss::Tensor::of<Number>(numbers), watch);
      CHECK(found.has_value() == is_watched(static_cast<double>(number), watch));
    }
  }
}

TEST_CASE("a watch reports the first number of its kind, wherever it is") {
  for (const ss::DType dtype :
       {ss::DType::F64, ss::DType::F32, ss::DType::F16, ss::DType::BF16, ss::DType::F8_E5M2}) {
    CAPTURE(ss::to_string(dtype));
    for (const std::size_t count : {1U, 7U, 2048U, 2049U, 5000U}) {
      for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
        CAPTURE(place);
        std::vector<double> numbers(count, 0.5);
        numbers[place] = -infinity;
        numbers[count - 1] = -infinity;
        const ss::Tensor tensor = ss::Tensor::of<double>(numbers).to(dtype);
        const auto found = find(tensor, {});
        REQUIRE(found);
        CHECK(found->index == place);
        CHECK(found->value == -infinity);
        const auto reversed = find(tensor.slice(ss::parse_slices("::-1")), {});
        REQUIRE(reversed);
        CHECK(reversed->index == 0);
        ss::Watch other;
        other.infinity = false;
        CHECK_FALSE(find(tensor, other));
      }
    }
  }
}

TEST_CASE("a watch looks at both parts of complex numbers") {
  std::vector<std::complex<float>> numbers(3000, {1, -1});
  numbers[2500] = {1, -3};
  ss::Watch watch;
  watch.magnitude = 2;
  const auto found = find(ss::Tensor::of<std::complex<float>>(numbers), watch);
  REQUIRE(found);
  CHECK(found->index == 2500);
  CHECK(found->value == -3);
}
