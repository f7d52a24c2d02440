/// \file
/// Statistics of numbers whose squares or norms no double holds.
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include <safestructures/tools/statistics.hpp>

namespace {

namespace ss = safestructures;
using ss::Verdict;
using Numbers = std::vector<double>;

constexpr double largest = std::numeric_limits<double>::max();

ss::ComparisonRow row_of(Numbers a, Numbers b, const ss::CompareOptions& options = {}) {
  const auto value = [](Numbers of) {
    return ss::Value::dict({{"x", ss::statistics_value(ss::Tensor::own(std::move(of)))}});
  };
  return ss::compare(value(std::move(a)), value(std::move(b)), options).rows.at(0);
}

/// Returns the numbers times a factor.
Numbers times(Numbers numbers, double factor) {
  for (double& number : numbers) number *= factor;
  return numbers;
}

}  // namespace

TEST_CASE("norms beyond every double prove nothing, also those of older versions") {
  const Numbers b = {1.7e308, 1.7e308, 1e308};
  const Numbers a = times(b, 1 - 1e-12);
  const ss::ComparisonRow row = row_of(a, b);
  CHECK(row.verdict == Verdict::close);
  CHECK(row.statistics->norm_a == largest);
  CHECK(row.statistics->norm_ratio == 1);
  const auto older = [](const Numbers& of) {
    ss::Value made = ss::statistics_value(ss::Tensor::own(Numbers(of)));
    *made.find("l2_norm") = std::numeric_limits<double>::infinity();
    return ss::Value::dict({{"x", made}});
  };
  CHECK(ss::compare(older(a), older(b)).is_equal());
}

TEST_CASE(
    "where the norm is beyond every double, what is allowed follows from the largest number") {
  const Numbers b(10'000, 1.7e308);
  CHECK(row_of(times(b, 1 - 5e-8), b).verdict == Verdict::close);
  const ss::ComparisonRow row = row_of(times(b, 1 - 2e-7), b);
  CHECK(row.verdict == Verdict::different);
  CHECK(!row.statistics->relative_l2);
  CHECK(!row.statistics->cosine_distance);
}

TEST_CASE("estimates do not depend on the magnitude of the numbers") {
  // Each in a sum of its own, so that the estimates are exact.
  const Numbers a = {1, 2, 3};
  const Numbers b = {1, 2, -3};
  for (const double factor : {1.0, 0x1p+900, 0x1p-900}) {
    CAPTURE(factor);
    const ss::ComparisonRow row = row_of(times(a, factor), times(b, factor), {.atol = 0});
    CHECK(row.verdict == Verdict::different);
    CHECK(row.statistics->distance.value() == 6 * factor);
    CHECK(row.statistics->relative_l2.value() == doctest::Approx(6 / std::sqrt(14)));
    CHECK(row.statistics->cosine_distance.value() == doctest::Approx(1 - (1 + 4 - 9) / 14.0));
  }
}

TEST_CASE("ratios beyond every double are the largest one, as between tensors") {
  const ss::ComparisonRow row = row_of({1e200, 2e200}, {1e-200, -2e-200});
  CHECK(row.statistics->norm_ratio == largest);
  CHECK(row.statistics->relative_l2 == largest);
  CHECK(row.statistics->distance.value() == doctest::Approx(std::sqrt(5.0) * 1e200));
}
