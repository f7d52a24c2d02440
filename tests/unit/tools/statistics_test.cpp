/// \file
/// Statistics of a tensor are those of its numbers, whatever their size, order and dtype.
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
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/tensor.hpp>
#include <safestructures/tools/sketch.hpp>
#include <safestructures/tools/statistics.hpp>
#include "support/errors.hpp"

namespace {

namespace ss = safestructures;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool is_near(double a, double b) { return std::abs(a - b) <= 4e-16 * std::abs(b); }

std::size_t bin_of(int exponent) {
  return static_cast<std::size_t>(exponent - ss::TensorStatistics::first_exponent);
}

}  // namespace

TEST_CASE("progress counts every element once") {
  for (const std::size_t size : {0U, 1U, 2047U, 2048U, 100000U}) {
    const std::vector<float> numbers(size);
    std::uint64_t done = 0;
    const ss::TensorStatistics found = ss::statistics(
        ss::Tensor::of<float>(numbers), [&](std::uint64_t elements) { done += elements; });
    CHECK(done == size);
    CHECK(found == ss::statistics(ss::Tensor::of<float>(numbers)));
  }
}

TEST_CASE("statistics are exact for small whole numbers of every dtype") {
  const std::vector<double> values = {0, 1, 3, 1, 0, 3, 3, 1};
  for (const ss::DType dtype :
       {ss::DType::F64, ss::DType::F32, ss::DType::F16, ss::DType::BF16, ss::DType::F8_E4M3,
        ss::DType::F8_E5M2, ss::DType::F4, ss::DType::F6_E2M3, ss::DType::I8, ss::DType::U8,
        ss::DType::I16, ss::DType::U16, ss::DType::I32, ss::DType::U32, ss::DType::I64,
        ss::DType::U64}) {
    CAPTURE(ss::to_string(dtype));
    const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(values).to(dtype));
    CHECK(found.count == 8);
    CHECK(found.finite() == 8);
    CHECK(found.zeros == 2);
    CHECK(found.min == 0);
    CHECK(found.max == 3);
    CHECK(found.mean == 1.5);
    CHECK(found.standard_deviation == std::sqrt(12.0 / 8));
    CHECK(found.l2_norm == std::sqrt(30.0));
    CHECK(found.positive[bin_of(0)] == 3);
    CHECK(found.positive[bin_of(1)] == 3);
    CHECK(std::accumulate(found.negative.begin(), found.negative.end(), std::uint64_t{0}) == 0);
    CHECK(std::accumulate(found.positive.begin(), found.positive.end(), std::uint64_t{0}) == 6);
  }
}

TEST_CASE("statistics of booleans, of complex numbers and of nothing") {
  const std::array<bool, 3> flags = {true, false, true};
  CHECK(ss::statistics(ss::Tensor::of<bool>(flags)).mean == 2.0 / 3);
  const std::array<std::complex<float>, 2> complex = {std::complex<float>(3, -4), {0, 0}};
  const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<std::complex<float>>(complex));
  CHECK(found.count == 4);
  CHECK(found.zeros == 2);
  CHECK(found.min == -4);
  CHECK(found.l2_norm == 5);
  CHECK(found.negative[bin_of(2)] == 1);
  CHECK(ss::statistics(ss::Tensor()) == ss::TensorStatistics());
}

TEST_CASE("numbers that are not finite are only counted, by kind") {
  const std::vector<double> values = {
      not_a_number, 2, infinity, -infinity, -0.0, -infinity, not_a_number, not_a_number, 0.0};
  for (const std::size_t repeats : {1U, 1000U}) {
    std::vector<double> all;
    for (std::size_t i = 0; i < repeats; ++i) all.insert(all.end(), values.begin(), values.end());
    const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(all));
    CHECK(found.nan == 3 * repeats);
    CHECK(found.positive_infinities == repeats);
    CHECK(found.negative_infinities == 2 * repeats);
    CHECK(found.zeros == 2 * repeats);
    CHECK(found.finite() == 3 * repeats);
    CHECK(found.max == 2);
    CHECK(found.min == 0);
    CHECK(is_near(found.mean, 2.0 / 3));
    CHECK(found.positive[bin_of(1)] == repeats);
  }
  const std::vector<double> none = {not_a_number, infinity};
  const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(none));
  CHECK(found.min == 0);
  CHECK(found.mean == 0);
}

TEST_CASE("a large mean costs the standard deviation no digits") {
  // One-pass sums of squares would give 0 or the root of a negative number.
  for (const double mean : {1e8, -1e12, 1e15}) {
    std::vector<double> values;
    for (int i = 0; i < 100'000; ++i) values.push_back(mean + (i % 2 == 0 ? 0.5 : -0.5));
    const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(values));
    CAPTURE(mean);
    CHECK(std::abs(found.standard_deviation - 0.5) < 1e-9);
    CHECK(is_near(found.mean, mean));
  }
}

TEST_CASE("parts of a tensor that differ by less than their mean can tell have a deviation") {
  // The first half is 1e15, in the second every other number is an eighth more.
  for (const std::size_t count : {1000U, 4096U, 40'960U, 409'600U}) {
    std::vector<double> values(count, 1e15);
    for (std::size_t i = count / 2 + 1; i < count; i += 2) values[i] += 0.125;
    const double exact = 0.125 * std::sqrt(0.25 * 0.75);
    const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(values));
    CAPTURE(count);
    CHECK(std::abs(found.standard_deviation / exact - 1) < 1e-15);
  }
}

TEST_CASE("a norm of equal numbers is right to a few units of its last place") {
  for (const std::size_t count : {1000U, 10'000U, 100'000U}) {
    const std::vector<double> values(count, 0.1);
    const double exact = 0.1 * std::sqrt(static_cast<double>(count));
    const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(values));
    CAPTURE(count);
    CHECK(std::abs(found.l2_norm / exact - 1) < 4 * std::numeric_limits<double>::epsilon());
    CHECK(std::abs(found.mean / 0.1 - 1) < 4 * std::numeric_limits<double>::epsilon());
    CHECK(found.standard_deviation < 1e-16);
  }
}

TEST_CASE("numbers whose squares leave the range of doubles have a norm") {
  for (const double scale : {1e300, 0x1p-1060, 0x1p-1074}) {
    const std::vector<double> values = {3 * scale, -4 * scale};
    const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(values));
    CAPTURE(scale);
    CHECK(is_near(found.l2_norm, 5 * scale));
    CHECK(is_near(found.standard_deviation, std::nearbyint(3.5 * scale / 0x1p-1074) * 0x1p-1074));
  }
  const double largest = std::numeric_limits<double>::max();
  const std::vector<double> values(5000, largest);
  const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(values));
  CHECK(found.mean == largest);
  CHECK(found.standard_deviation == 0);
  CHECK(found.l2_norm == largest);  // It is beyond the range itself.
}

TEST_CASE("magnitudes beyond the histogram are in its first and last bin") {
  const std::vector<double> values = {1e-300, -1e-300, 1e300, -1e300, 0x1p-40, 0x1.8p23, -1};
  const ss::TensorStatistics found = ss::statistics(ss::Tensor::of<double>(values));
  CHECK(found.positive.front() == 2);
  CHECK(found.negative.front() == 1);
  CHECK(found.positive.back() == 2);
  CHECK(found.negative.back() == 1);
  CHECK(found.negative[bin_of(0)] == 1);
}

TEST_CASE("statistics of many numbers are those of a sum in long double, in any order of memory") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(3, 2);
  std::vector<double> values(300 * 701);
  for (double& value : values) value = normal(random);
  long double sum = 0, squares = 0, deviations = 0;
  for (const double value : values)
    sum += value, squares += static_cast<long double>(value) * value;
  const long double mean = sum / static_cast<long double>(values.size());
  for (const double value : values) deviations += (value - mean) * (value - mean);
  const ss::Tensor tensor = ss::Tensor::of<double>(values, {300, 701});
  const std::array<std::size_t, 2> order = {1, 0};
  for (const ss::Tensor& one : {tensor, tensor.permute(order)}) {
    const ss::TensorStatistics found = ss::statistics(one);
    CHECK(is_near(found.mean, static_cast<double>(mean)));
    CHECK(is_near(found.l2_norm, static_cast<double>(std::sqrt(squares))));
    CHECK(is_near(
        found.standard_deviation,
        static_cast<double>(std::sqrt(deviations / static_cast<long double>(values.size())))));
    CHECK(found.min == *std::min_element(values.begin(), values.end()));
    CHECK(found.max == *std::max_element(values.begin(), values.end()));
    CHECK(found.count == values.size());
  }
}

TEST_CASE("statistics as a structure say what they are of") {
  const std::vector<float> values = {1, -2};
  const ss::Value value = ss::statistics_value(ss::Tensor::of<float>(values, {2, 1}));
  CHECK(value.type_name() == "Statistics");
  CHECK(value["dtype"] == ss::Value("F32"));
  CHECK(value["shape"] == ss::Value::list({2, 1}));
  CHECK(value["mean"] == ss::Value(-0.5));
  const std::vector<std::int64_t> bins = value["histogram"].tensor().to_vector<std::int64_t>();
  CHECK(bins[bin_of(1)] == 1);
  CHECK(bins[64 + bin_of(0)] == 1);
}

TEST_CASE("statistics as a structure are read as they were made") {
  for (const ss::DType dtype : {ss::DType::F16, ss::DType::F32, ss::DType::I8, ss::DType::C64}) {
    CAPTURE(ss::to_string(dtype));
    std::vector<std::byte> bytes(ss::byte_size(dtype, {3, 4}));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37);
    const ss::Tensor tensor = ss::Tensor::share(dtype, {3, 4}, bytes, nullptr);
    const ss::KeptStatistics kept = ss::read_statistics(ss::statistics_value(tensor));
    CHECK(kept.dtype == dtype);
    CHECK(kept.shape == ss::Shape{3, 4});
    CHECK(kept.statistics == ss::statistics(tensor));
    CHECK(kept.sketch == ss::sketch(tensor));
  }
  const ss::KeptStatistics none = ss::read_statistics(ss::statistics_value(ss::Tensor()));
  CHECK(none.statistics == ss::TensorStatistics{});
}

TEST_CASE("a value that is not statistics is refused with the field") {
  const ss::Value whole = ss::statistics_value(ss::Tensor::own(std::vector<float>{1, 2}));
  const auto error = [&](const std::string& name, const std::optional<ss::Value>& other) {
    std::vector<ss::Entry> fields;
    for (const ss::Entry& entry : whole.entries()) {
      if (entry.key.as_string() != name) fields.push_back(entry);
      else if (other) fields.push_back({name, *other});
    }
    const ss::Value value = ss::Value::structure("Statistics", std::move(fields));
    return ss::test::error_of([&] { static_cast<void>(ss::read_statistics(value)); });
  };
  const std::string fault = ": the statistics in a record are not what a recorder keeps: expected ";
  for (const ss::Entry& entry : whole.entries()) {
    const std::string& name = entry.key.as_string();
    CAPTURE(name);
    const bool may_miss = name == "quantiles" || name == "sketch";
    CHECK(error(name, std::nullopt) == (may_miss ? "no error"
                                                 : "invalid_schema: at /" + name + fault +
                                                       "a field of that name, found nothing."));
    CHECK(error(name, true).starts_with("invalid_schema: at /" + name + fault));
  }
  CHECK(error("hash", "0x12") == "invalid_schema: at /hash" + fault +
                                     "a hexadecimal number of 64 bits, found str \"0x12\".");
  CHECK(error("histogram", ss::Tensor::own(std::vector<std::int64_t>(128, -1), {2, 64})) ==
        "invalid_schema: at /histogram" + fault + "counts from 0 on, found tensor I64 [2, 64].");
  // The norm of large numbers, as earlier versions kept it.
  const ss::Value infinite = ss::Value(std::numeric_limits<double>::infinity());
  CHECK(error("l2_norm", infinite) == "no error");
  CHECK(ss::test::error_of([] { static_cast<void>(ss::read_statistics(ss::Value(1))); }) ==
        "type_mismatch: the value is not the statistics of a tensor: expected struct Statistics, "
        "found int 1.");
}
