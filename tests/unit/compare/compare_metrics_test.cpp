/// \file
/// The metrics of a comparison, against numbers computed by hand.
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/tensor.hpp>
#include "support/errors.hpp"

namespace {

namespace ss = safestructures;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

ss::TensorMetrics compare(const std::vector<double>& a, const std::vector<double>& b,
                          ss::DType dtype = ss::DType::F64) {
  return ss::compare_tensors(ss::Tensor::of<double>(a).to(dtype, ss::Overflow::allow),
                             ss::Tensor::of<double>(b).to(dtype, ss::Overflow::allow));
}

template <class T>
ss::TensorMetrics compare_of(const std::vector<T>& a, const std::vector<T>& b) {
  return ss::compare_tensors(ss::Tensor::of<T>(a), ss::Tensor::of<T>(b));
}

}  // namespace

TEST_CASE("each metric has the value that hand computes") {
  // Errors 0, 1, -2, 0; the reference has the norm 5 * sqrt(2).
  const ss::TensorMetrics found = compare({3, 5, 1, 4}, {3, 4, 3, 4});
  CHECK(found.count == 4);
  CHECK(found.compared == 4);
  CHECK(found.differing == 2);
  CHECK(found.beyond == 2);
  CHECK(found.tolerance == ss::Tolerance{1e-7, 1e-7});
  CHECK(found.max_absolute == 2);
  CHECK(found.max_relative == 2.0 / 3);
  CHECK(found.max_ratio == 2 / (1e-7 + 1e-7 * 3));
  CHECK(found.mean_error == -0.25);
  CHECK(found.mean_absolute == 0.75);
  CHECK(found.rmse == std::sqrt(5.0 / 4));
  CHECK(found.norm_a == std::sqrt(51.0));
  CHECK(found.norm_b == std::sqrt(50.0));
  CHECK(*found.relative_l2 == doctest::Approx(std::sqrt(0.1)).epsilon(1e-15));
  CHECK(found.snr_state == ss::SnrState::number);
  CHECK(found.snr == doctest::Approx(10.0).epsilon(1e-15));
  CHECK(*found.cosine == doctest::Approx(48 / std::sqrt(51.0 * 50)).epsilon(1e-15));
  CHECK(*found.norm_ratio == doctest::Approx(std::sqrt(1.02)).epsilon(1e-15));
  REQUIRE(found.worst);
  CHECK(found.worst->index == 2);
  CHECK(found.worst->a == ss::Value(1.0));
  CHECK(found.worst->b == ss::Value(3.0));
}

TEST_CASE("a factor leaves the cosine at 1 and shows in the ratio of norms") {
  const ss::TensorMetrics found = compare({2, 4, -6}, {1, 2, -3});
  CHECK(found.cosine == 1);
  CHECK(*found.cosine_distance < 1e-18);
  CHECK(found.norm_ratio == 2);
  CHECK(found.relative_l2 == 1);
  CHECK(found.snr == 0);
}

TEST_CASE("the distance of a cosine near 1 keeps its digits") {
  const ss::TensorMetrics found = compare({1, 1e-9}, {1, 0});
  CHECK(*found.cosine_distance / 5e-19 == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("the cosine of tensors whose norms are far apart has its digits") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (const double factor : {-1e-3, -1e-4, 1e-6, -1e-10, 1e10, -1e100}) {
    CAPTURE(factor);
    std::vector<double> a(3000);
    for (double& number : a) number = normal(random);
    std::vector<double> b = a;
    for (double& number : b) number *= factor;
    const ss::TensorMetrics found = compare(a, b);
    const double sign = factor < 0 ? -1 : 1;
    CHECK(std::abs(*found.cosine - sign) < 1e-12);
    CHECK(std::abs(*found.cosine_distance - (1 - sign)) < 1e-12);
    CHECK(std::abs(*compare(b, a).cosine - sign) < 1e-12);
  }
  const ss::TensorMetrics integers = compare_of<std::int64_t>({9'223'372'036'854'775'807}, {-100});
  CHECK(integers.cosine == -1);
  CHECK(integers.cosine_distance == 2);
  using Complex = std::complex<float>;
  CHECK(compare_of<Complex>({{3e4F, 4e4F}, {0, NAN}}, {{-3, -4}, {0, 1}}).cosine == -1);
}

TEST_CASE("signal to noise has a state where it is no number") {
  CHECK(compare({1, 2}, {1, 2}).snr_state == ss::SnrState::exact);
  CHECK(compare({0, 0}, {0, 0}).snr_state == ss::SnrState::exact);
  const ss::TensorMetrics zero = compare({1, 0}, {0, 0});
  CHECK(zero.snr_state == ss::SnrState::zero_reference);
  CHECK(zero.snr == 0);
  CHECK(!zero.relative_l2);
  CHECK(!zero.max_relative);
  CHECK(!zero.cosine);
  CHECK(!zero.norm_ratio);
  CHECK(zero.ulp->at_peak == 0);
  CHECK(compare({}, {}).snr_state == ss::SnrState::nothing);
  CHECK(compare({not_a_number}, {not_a_number}).snr_state == ss::SnrState::nothing);
}

TEST_CASE("numbers near zero do not blow the relative difference up") {
  // The root mean square is 256 * sqrt(2): the floor is the power of two below its 256th part, 1.
  std::vector<double> b(8, 256 * std::sqrt(2.0));
  b[0] = 0;
  b[1] = 1e-300;
  std::vector<double> a = b;
  a[0] = 0.25;
  a[1] = 0.5;
  const ss::TensorMetrics found = compare(a, b);
  CHECK(found.max_relative == 0.5);
}

TEST_CASE("both zeros are one number, and NaN equals NaN whatever its payload") {
  const double payload = std::bit_cast<double>(std::uint64_t{0xFFF8'0000'0000'1234});
  const ss::TensorMetrics found = compare({0.0, -0.0, not_a_number}, {-0.0, 0.0, payload});
  CHECK(found.is_exact());
  CHECK(found.compared == 2);
  CHECK(found.non_finite.nan_both == 1);
  CHECK(found.ulp->max == 0);
  CHECK(!found.worst);
}

TEST_CASE("numbers that are not finite are counted by kind, and are beyond if they differ") {
  const ss::TensorMetrics found =
      compare({not_a_number, not_a_number, 1, infinity, infinity, 1, infinity, not_a_number, 5},
              {not_a_number, 1, not_a_number, infinity, -infinity, infinity, 1, infinity, 5});
  const ss::NonFiniteCounts expected{.nan_both = 1,
                                     .nan_only_a = 2,
                                     .nan_only_b = 1,
                                     .infinity_both = 1,
                                     .infinity_only_a = 1,
                                     .infinity_only_b = 2,
                                     .infinity_signs = 1,
                                     .nan_infinity = 1};
  CHECK(found.non_finite == expected);
  CHECK(found.compared == 1);
  // A NaN beside an infinity is one element.
  CHECK(found.non_finite.differing() == 6);
  CHECK(found.beyond == 6);
  CHECK(found.differing == 0);
  CHECK(!found.is_exact());
  CHECK(found.worst->index == 1);
  CHECK(found.max_absolute == 0);
  // Beside them, tolerances are what they are elsewhere.
  const ss::TensorMetrics beside = compare({1, 2, not_a_number}, {1 + 5e-8, 1, not_a_number});
  CHECK(beside.beyond == 1);
  CHECK(beside.worst->index == 1);
}

TEST_CASE("steps are those of the dtype, subnormal numbers too") {
  struct Case {
    ss::DType dtype;
    double a;
    double b;
    std::uint64_t steps;
  };
  constexpr double f32_least = 0x1p-149;
  for (const Case& one :
       {Case{ss::DType::F64, 1, 1 + 0x1p-52, 1}, Case{ss::DType::F64, 5e-324, -5e-324, 2},
        Case{ss::DType::F32, 1, 1 + 0x1p-23, 1}, Case{ss::DType::F32, 1, 2, 1U << 23U},
        Case{ss::DType::F32, f32_least, -f32_least, 2},
        Case{ss::DType::F32, 0x1p-126, 0x1p-126 - f32_least, 1},
        Case{ss::DType::F16, 1, 1 + 0x1p-10, 1}, Case{ss::DType::F16, 0x1p-24, 0, 1},
        Case{ss::DType::F16, 0x1p-14, 0, 1024}, Case{ss::DType::BF16, 1, 1 + 0x1p-7, 1},
        Case{ss::DType::BF16, 1, 2, 128}, Case{ss::DType::F8_E4M3, 1, 1.125, 1},
        Case{ss::DType::F8_E4M3, 448, 416, 1}, Case{ss::DType::F8_E4M3, 0x1p-9, -0x1p-9, 2},
        Case{ss::DType::F8_E5M2, 1, 1.25, 1}, Case{ss::DType::F8_E8M0, 1, 4, 2},
        Case{ss::DType::F8_E4M3FNUZ, 1, 1.125, 1}, Case{ss::DType::F8_E5M2FNUZ, 2, 1, 4}}) {
    CAPTURE(ss::to_string(one.dtype));
    CAPTURE(one.a);
    const ss::TensorMetrics found = compare({one.a}, {one.b}, one.dtype);
    REQUIRE(found.ulp);
    CHECK(found.ulp->dtype == one.dtype);
    CHECK(found.ulp->max == one.steps);
  }
  // Elements of 4 and 6 bits come in groups.
  CHECK(compare({1, 0, 0, 0, 0, 0, 0, 0}, {1.5, 0, 0, 0, 0, 0, 0, 0}, ss::DType::F4).ulp->max == 1);
  CHECK(!compare({1}, {2}, ss::DType::I32).ulp);
}

TEST_CASE("steps of mixed dtypes are those of the one with fewer digits, tolerances the looser") {
  const std::vector<double> numbers = {1, 2, 3};
  const std::vector<double> others = {1 + 0x1p-20, 2, 3};
  const ss::Tensor f32 = ss::Tensor::of<double>(others).to(ss::DType::F32);
  const ss::Tensor bf16 = ss::Tensor::of<double>(numbers).to(ss::DType::BF16);
  const ss::TensorMetrics mixed = ss::compare_tensors(f32, bf16);
  CHECK(mixed.ulp->dtype == ss::DType::BF16);
  CHECK(mixed.ulp->max == 0);
  CHECK(mixed.differing == 1);
  CHECK(mixed.tolerance == ss::Tolerance{1.6e-2, 1e-5});
  // Stored in F32, but of F16 before.
  const ss::Tensor again = ss::Tensor::of<double>(numbers).to(ss::DType::F32);
  const ss::TensorMetrics noted =
      ss::compare_tensors(f32, again, {}, {.a = ss::DType::F16, .b = ss::DType::F16});
  CHECK(noted.ulp->dtype == ss::DType::F16);
  CHECK(noted.tolerance == ss::Tolerance{1e-3, 1e-5});
  CHECK(ss::compare_tensors(f32, again).ulp->max == 8);
  CHECK_FALSE(ss::compare_tensors(ss::Tensor::own(std::vector<float>{1, 2}),
                                  ss::Tensor::own(std::vector<std::int32_t>{1, 3}))
                  .ulp);
}

TEST_CASE("the largest difference is told in steps at the largest number, and 99 % by a bound") {
  std::vector<double> b(1000, 1.0);
  b[999] = 100;
  std::vector<double> a = b;
  for (std::size_t i = 0; i < 20; ++i) a[i] = 1 + 5 * 0x1p-23;
  a[999] = 100 + 3 * 0x1p-17;
  const ss::TensorMetrics found = compare(a, b, ss::DType::F32);
  CHECK(found.ulp->max == 5);
  CHECK(found.ulp->p99 == 5);
  CHECK(found.ulp->at_peak == 3);
  CHECK(found.ulp->binade == 1U << 23U);
  for (std::size_t i = 9; i < 20; ++i) a[i] = 1;
  CHECK(compare(a, b, ss::DType::F32).ulp->p99 == 0);
  // One number of a hundred may be further apart, and two are, at both ends.
  std::vector<double> ends(100, 1);
  ends.front() = ends.back() = 1 + std::ldexp(8, -23);
  CHECK(compare(ends, std::vector<double>(100, 1), ss::DType::F32).ulp->p99 == 8);
  ends.front() = 1;
  CHECK(compare(ends, std::vector<double>(100, 1), ss::DType::F32).ulp->p99 == 0);
}

TEST_CASE("integers of 64 bits are told apart where double precision cannot") {
  constexpr std::int64_t large = std::int64_t{1} << 62U;
  const ss::TensorMetrics found = compare_of<std::int64_t>({large, -large}, {large + 1, -large});
  CHECK(found.differing == 1);
  CHECK(found.beyond == 1);
  CHECK(found.max_absolute == 1);
  CHECK(found.worst->a == ss::Value(large));
  CHECK(found.worst->b == ss::Value(large + 1));
  CHECK(!found.max_ratio);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  CHECK(compare_of<std::uint64_t>({most}, {most - 1}).max_absolute == 1);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(compare_of<std::int64_t>({least}, {least + 1}).mean_error == -1);
  // Of both signs, whose difference no 64 bits hold.
  const std::vector<std::int64_t> negative = {least};
  const std::vector<std::uint64_t> positive = {most};
  CHECK(ss::compare_tensors(ss::Tensor::of<std::int64_t>(negative),
                            ss::Tensor::of<std::uint64_t>(positive))
            .max_absolute == 0x1p+63 + 0x1p+64);
  // Beside doubles they are doubles.
  const std::vector<std::int64_t> odd = {(std::int64_t{1} << 53U) + 1};
  const std::vector<double> even = {0x1p+53};
  CHECK(ss::compare_tensors(ss::Tensor::of<std::int64_t>(odd), ss::Tensor::of<double>(even))
            .is_exact());
}

TEST_CASE("bools are exact, complex numbers are measured beside their modulus") {
  const std::array<bool, 3> a = {true, false, true};
  const std::array<bool, 3> b = {true, true, true};
  const ss::TensorMetrics bools =
      ss::compare_tensors(ss::Tensor::of<bool>(a), ss::Tensor::of<bool>(b));
  CHECK(bools.beyond == 1);
  CHECK(bools.worst->a == ss::Value(false));
  CHECK(bools.worst->index == 1);
  using Complex = std::complex<float>;
  // The imaginary part alone would be beyond any tolerance of its own size.
  const ss::TensorMetrics near = compare_of<Complex>({{1000, 1e-3F}}, {{1000, 0}});
  CHECK(near.is_within());
  CHECK(near.count == 2);
  CHECK(compare_of<Complex>({{1, 1}, {1, 1}, {1000, 1e-3F}}, {{1, 1}, {1, 1}, {1000, 0}})
            .is_within());
  CHECK(compare_of<Complex>({{1, 1}, {1, 1}, {1e-3F, 1000}}, {{1, 1}, {1, 1}, {0, 1000}})
            .is_within());
  const ss::TensorMetrics far = compare_of<Complex>({{0, 0}, {3, 4}}, {{0, 0}, {3, 5}});
  CHECK(far.beyond == 1);
  CHECK(far.worst->index == 1);
  CHECK(far.worst->b == ss::Value(std::complex<double>(3, 5)));
  // Beside an infinite part the other is measured by itself.
  constexpr float infinite = std::numeric_limits<float>::infinity();
  CHECK(compare_of<Complex>({{1, infinite}}, {{5, infinite}}).beyond == 1);
}

TEST_CASE("magnitudes at both ends of double precision are summed without overflow") {
  const ss::TensorMetrics large = compare({1e308, -1e308}, {-1e308, -1e308});
  CHECK(large.max_absolute == std::numeric_limits<double>::max());
  CHECK(*large.relative_l2 == doctest::Approx(std::sqrt(2.0)));
  CHECK(std::isfinite(large.rmse));
  // What is between them and what is allowed are larger than every double.
  const ss::TensorMetrics apart = compare({1.7e308}, {-1.7e308});
  CHECK(apart.max_relative == 2);
  CHECK(apart.beyond == 1);
  const auto allowed = [](double rtol) {
    return ss::compare_tensors(ss::Tensor::own(std::vector<double>{1.7e308, 1}),
                               ss::Tensor::own(std::vector<double>{-1.7e308, 1}),
                               ss::Tolerance{rtol, 0});
  };
  CHECK(allowed(1.5).beyond == 1);
  CHECK(*allowed(1.5).max_ratio == doctest::Approx(2 / 1.5));
  CHECK(allowed(2.5).beyond == 0);
  // A ratio to some tolerance is never unbounded.
  CHECK(compare({1e305}, {0}).max_ratio == std::numeric_limits<double>::max());
  // The floor is no subnormal number.
  CHECK(*compare({2e-310}, {1e-310}).max_relative == 1e-310 / 0x1p-1022);
  const ss::TensorMetrics small = compare({2e-310, 0}, {1e-310, 0});
  CHECK(*small.relative_l2 == doctest::Approx(1.0));
  CHECK(*small.norm_ratio == doctest::Approx(2.0));
  const ss::TensorMetrics mixed =
      ss::compare_tensors(ss::Tensor::own(std::vector<double>{1e-200, 1e-200}),
                          ss::Tensor::own(std::vector<float>{0, 0}));
  CHECK(mixed.rmse / 1e-200 == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("every size and order of memory gives what one pass over the elements gives") {
  const std::uint64_t seed = std::random_device{}();
  MESSAGE("seed " << seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{2049}, std::size_t{1} << 16U, (std::size_t{1} << 20U) + 7}) {
    std::vector<double> a(size);
    std::vector<double> b(size);
    long double errors = 0, squares = 0, reference = 0;
    double worst = 0;
    for (std::size_t i = 0; i < size; ++i) {
      b[i] = normal(random);
      a[i] = b[i] + 1e-3 * normal(random);
      const auto error = static_cast<long double>(a[i] - b[i]);
      errors += error;
      squares += error * error;
      reference += static_cast<long double>(b[i]) * static_cast<long double>(b[i]);
      worst = std::max(worst, std::abs(a[i] - b[i]));
    }
    const ss::Tensor left = ss::Tensor::of<double>(a);
    const ss::Tensor right = ss::Tensor::of<double>(b);
    const ss::TensorMetrics found = ss::compare_tensors(left, right);
    CHECK(found.max_absolute == worst);
    CHECK(found.mean_error ==
          doctest::Approx(static_cast<double>(errors / static_cast<long double>(size)))
              .epsilon(1e-9));
    CHECK(*found.relative_l2 ==
          doctest::Approx(static_cast<double>(std::sqrt(squares / reference))).epsilon(1e-13));
    // Twice the same, whichever thread took which piece.
    const ss::TensorMetrics again = ss::compare_tensors(left, right);
    CHECK(again.rmse == found.rmse);
    CHECK(again.worst->index == found.worst->index);
    // With the sides exchanged.
    const ss::TensorMetrics mirrored = ss::compare_tensors(right, left);
    CHECK(mirrored.max_absolute == found.max_absolute);
    CHECK(mirrored.mean_error == -found.mean_error);
    CHECK(mirrored.rmse == found.rmse);
    CHECK(*mirrored.cosine_distance == doctest::Approx(*found.cosine_distance).epsilon(1e-9));
    CHECK(mirrored.ulp->max == found.ulp->max);
    CHECK(mirrored.differing == found.differing);
    CHECK(ss::compare_tensors(left, left).is_exact());
    // Columns before rows.
    if (size % 256 != 0) continue;
    const ss::Shape shape{256, size / 256};
    const std::array<std::size_t, 2> order = {1, 0};
    const ss::TensorMetrics turned = ss::compare_tensors(left.reshape(shape).permute(order),
                                                         right.reshape(shape).permute(order));
    CHECK(turned.max_absolute == found.max_absolute);
    CHECK(turned.rmse == doctest::Approx(found.rmse).epsilon(1e-12));
  }
}

TEST_CASE("tensors of different shapes are refused") {
  const std::vector<float> numbers = {1, 2};
  CHECK(ss::test::error_of([&] {
          return ss::compare_tensors(ss::Tensor::of<float>(numbers, {1, 2}),
                                     ss::Tensor::of<float>(numbers, {2, 1}));
        }) ==
        "shape_mismatch: tensors of different shapes cannot be compared: expected [2, 1], found "
        "[1, 2].");
}
