/// \file
/// Numbers that are NaN or infinite, as in masked scores, are counted by kind and otherwise left
/// out: the metrics are those of the other numbers.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/metrics/non_finite.hpp"
#include "compare/small/row_metrics.hpp"

namespace {

namespace ss = safestructures;
namespace comparing = ss::comparing;

template <class Number>
Number other(std::uint64_t kind) {
  constexpr Number infinity = std::numeric_limits<Number>::infinity();
  switch (kind) {
    case 0: return infinity;
    case 1: return -infinity;
    case 2: return std::numeric_limits<Number>::quiet_NaN();
    default: return -std::numeric_limits<Number>::quiet_NaN();
  }
}

/// What `remove_non_finite` is documented to do, number by number.
template <class Number>
comparing::NonFinite removed_from(std::vector<Number>& a, std::vector<Number>& b) {
  comparing::NonFinite all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Number x = a[i];
    const Number y = b[i];
    if (std::isfinite(x) && std::isfinite(y)) continue;
    ++all.pairs;
    a[i] = b[i] = 0;
    const bool same = (std::isnan(x) && std::isnan(y)) || x == y;
    if (!same) all.first_differing = std::min(all.first_differing, i);
    if (std::isnan(x) && std::isnan(y)) ++all.counts.nan_both;
    else if (std::isinf(x) && std::isinf(y))
      ++(same ? all.counts.infinity_both : all.counts.infinity_signs);
    if (std::isnan(x) && !std::isnan(y)) ++all.counts.nan_only_a;
    if (std::isnan(y) && !std::isnan(x)) ++all.counts.nan_only_b;
    if (std::isinf(x) && !std::isinf(y)) ++all.counts.infinity_only_a;
    if (std::isinf(y) && !std::isinf(x)) ++all.counts.infinity_only_b;
    if ((std::isnan(x) && std::isinf(y)) || (std::isinf(x) && std::isnan(y)))
      ++all.counts.nan_infinity;
  }
  return all;
}

void check_same(const comparing::NonFinite& found, const comparing::NonFinite& expected) {
  CHECK(found.counts == expected.counts);
  CHECK(found.pairs == expected.pairs);
  CHECK(found.first_differing == expected.first_differing);
}

/// Two tensors' numbers; those that are finite in both once more.
struct Masked {
  std::vector<double> a, b, finite_a, finite_b;

  /// \param period of ranges that are masked, with nothing masked between
  Masked(std::mt19937_64& random, std::size_t count, std::size_t period, bool is_equal) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i) {
      double x = static_cast<float>(normal(random));
      double y = is_equal || random() % 2 == 0 ? x : static_cast<float>(x + 1e-3 * normal(random));
      const bool is_masked = i / period % 2 == 0 && random() % 3 == 0;
      if (is_masked) x = y = other<double>(random() % 3);
      else finite_a.push_back(x), finite_b.push_back(y);
      a.push_back(x);
      b.push_back(y);
    }
  }
};

ss::TensorMetrics metrics(const std::vector<double>& a, const std::vector<double>& b,
                          ss::DType dtype, const ss::RecordedDTypes& recorded) {
  return ss::compare_tensors(ss::Tensor::of<double>(a).to(dtype),
                             ss::Tensor::of<double>(b).to(dtype), {}, recorded);
}

void check_like(std::optional<double> found, std::optional<double> expected) {
  REQUIRE(found.has_value() == expected.has_value());
  if (found) CHECK(std::abs(*found - *expected) <= 1e-12 * std::abs(*expected));
}

}  // namespace

TEST_CASE_TEMPLATE("pairs that are not finite are set to zero and counted", Number, float, double) {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 400; ++round) {
    const std::size_t count = random() % 40;
    const std::uint64_t share = random() % 4 + 1;
    std::vector<Number> a(count), b(count);
    for (std::vector<Number>* side : {&a, &b})
      for (Number& number : *side)
        number = random() % 8 < share
                     ? other<Number>(random() % 4)
                     : std::numeric_limits<Number>::max() / static_cast<Number>(1 + random() % 3);
    for (std::size_t i = 0; i < count; ++i)
      if (random() % 2 == 0) b[i] = a[i];
    std::vector<Number> expected_a = a, expected_b = b;
    const comparing::NonFinite expected = removed_from(expected_a, expected_b);
    std::vector<Number> alone = a;
    std::vector<Number> same = a, same_too = a;
    check_same(comparing::remove_non_finite(std::span(a), std::span(b)), expected);
    CHECK(a == expected_a);
    CHECK(b == expected_b);
    // Both sides in one place.
    check_same(comparing::remove_non_finite(std::span(alone), std::span(alone)),
               removed_from(same, same_too));
    CHECK(alone == same);
  }
}

TEST_CASE("masked numbers leave the metrics of the others") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const ss::DType dtype : {ss::DType::F32, ss::DType::F64, ss::DType::F16, ss::DType::BF16}) {
    CAPTURE(ss::to_string(dtype));
    for (const std::size_t count : {64U, 5000U, 40'000U}) {
      for (const std::size_t period : {10U, 2048U, 3000U, 100'000U}) {
        for (const bool is_equal : {false, true}) {
          const Masked all(random, count, period, is_equal);
          // F32 that was F16 when it was recorded is on another grid, and not exactly.
          const ss::RecordedDTypes recorded =
              dtype == ss::DType::F32 && random() % 2 == 0
                  ? ss::RecordedDTypes{ss::DType::F16, ss::DType::F16}
                  : ss::RecordedDTypes{};
          const ss::TensorMetrics found = metrics(all.a, all.b, dtype, recorded);
          const ss::TensorMetrics expected = metrics(all.finite_a, all.finite_b, dtype, recorded);
          CHECK(found.count == count);
          CHECK(found.compared == all.finite_a.size());
          CHECK(found.non_finite.nan_both + found.non_finite.infinity_both ==
                count - all.finite_a.size());
          CHECK(found.non_finite.differing() == 0);
          CHECK(found.differing == expected.differing);
          CHECK(found.beyond == expected.beyond);
          CHECK(found.max_absolute == expected.max_absolute);
          CHECK(found.max_relative == expected.max_relative);
          CHECK(found.max_ratio == expected.max_ratio);
          CHECK(found.ulp == expected.ulp);
          CHECK(found.snr_state == expected.snr_state);
          check_like(found.rmse, expected.rmse);
          check_like(found.norm_a, expected.norm_a);
          check_like(found.norm_b, expected.norm_b);
          REQUIRE(found.worst.has_value() == expected.worst.has_value());
          if (!found.worst) continue;
          CHECK(found.worst->a == expected.worst->a);
          CHECK(found.worst->b == expected.worst->b);
        }
      }
    }
  }
}

TEST_CASE("the worst element is the first that is not finite in one side only") {
  for (const ss::DType dtype : {ss::DType::F32, ss::DType::F64, ss::DType::BF16}) {
    for (const std::size_t place : {0U, 7U, 2050U, 9999U}) {
      std::vector<double> a(10'000, 1);
      for (std::size_t i = 0; i < a.size(); i += 5) a[i] = other<double>(1);
      std::vector<double> b = a;
      b[3] = 0.5;
      b[place] = other<double>(2);
      b[9999] = other<double>(0);
      const ss::TensorMetrics found = metrics(a, b, dtype, {});
      REQUIRE(found.worst);
      CHECK(found.worst->index == place);
      CHECK(found.non_finite.differing() == (place == 9999 ? 1 : 2));
    }
  }
}

TEST_CASE("masked parts of complex numbers are left out, and their partners are not") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<std::complex<float>> a(3000, {1, 2});
  for (std::size_t i = 0; i < a.size(); i += 2) a[i].imag(-infinity);
  std::vector<std::complex<float>> b = a;
  b[2998].real(1.5F);
  const ss::TensorMetrics found = ss::compare_tensors(ss::Tensor::of<std::complex<float>>(a),
                                                      ss::Tensor::of<std::complex<float>>(b));
  CHECK(found.compared == 4500);
  CHECK(found.non_finite.infinity_both == 1500);
  CHECK(found.differing == 1);
  REQUIRE(found.worst);
  CHECK(found.worst->index == 2998);
}

TEST_CASE("small records with masks need no rows of their own") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto metrics = std::make_unique<comparing::RowMetrics>();
  comparing::CompactKind kind;
  kind.shape = {100};
  kind.count = 100;
  kind.size_a = kind.size_b = 400;
  kind.grid = comparing::grid_of(ss::DType::F32).value();
  std::vector<float> a(100, 1);
  for (std::size_t i = 0; i < 50; ++i) a[2 * i] = -infinity;
  a[1] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> b = a;
  const auto measure = [&] {
    comparing::CompactRow row;
    comparing::CompactMetrics found{};
    const auto how = metrics->measure(std::as_bytes(std::span(a)).data(),
                                      std::as_bytes(std::span(b)).data(), kind, row, found);
    if (how == comparing::RowMetrics::Found::inexact) {
      CHECK(found.nan_both == 1);
      CHECK(found.infinity_both == 50);
      CHECK(found.compared(100) == 49);
    }
    return how;
  };
  using Found = comparing::RowMetrics::Found;
  CHECK(measure() == Found::inexact);
  b[3] = 2;
  CHECK(measure() == Found::inexact);
  b[4] = infinity;
  CHECK(measure() == Found::unusual);
  a.assign(100, infinity);
  b = a;
  CHECK(measure() == Found::unusual);
}
