/// \file
/// Floats are compared in a way of their own, twice as fast: its results are those of doubles, bit
/// for bit, whatever the numbers
/// are.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/slice.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/kernels/float_kernels.hpp"
#include "compare/metrics/accumulator.hpp"
#include "compare/metrics/watched.hpp"

namespace ss = safestructures;
namespace comparing = ss::comparing;
using ss::DType;
using ss::Tensor;

namespace {

std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }
std::optional<std::uint64_t> bits(const std::optional<double>& number) {
  return number ? std::optional(bits(*number)) : std::nullopt;
}

void check_same(const ss::TensorMetrics& found, const ss::TensorMetrics& expected) {
  CHECK(found.count == expected.count);
  CHECK(found.compared == expected.compared);
  CHECK(found.differing == expected.differing);
  CHECK(found.beyond == expected.beyond);
  CHECK(found.snr_state == expected.snr_state);
  CHECK(found.non_finite == expected.non_finite);
  CHECK(found.ulp == expected.ulp);
  CHECK(bits(found.max_absolute) == bits(expected.max_absolute));
  CHECK(bits(found.max_relative) == bits(expected.max_relative));
  CHECK(bits(found.max_ratio) == bits(expected.max_ratio));
  CHECK(bits(found.mean_error) == bits(expected.mean_error));
  CHECK(bits(found.mean_absolute) == bits(expected.mean_absolute));
  CHECK(bits(found.rmse) == bits(expected.rmse));
  CHECK(bits(found.norm_a) == bits(expected.norm_a));
  CHECK(bits(found.norm_b) == bits(expected.norm_b));
  CHECK(bits(found.relative_l2) == bits(expected.relative_l2));
  CHECK(bits(found.snr) == bits(expected.snr));
  CHECK(bits(found.cosine) == bits(expected.cosine));
  CHECK(bits(found.cosine_distance) == bits(expected.cosine_distance));
  REQUIRE(found.worst.has_value() == expected.worst.has_value());
  if (found.worst) CHECK(found.worst->index == expected.worst->index);
}

using Random = std::mt19937_64;
/// Number `i` of b, and what is added to it for a.
using Kind = std::function<std::pair<double, double>(Random&, std::size_t i)>;

double normal(Random& random) { return std::normal_distribution<double>()(random); }

struct Pair {
  Tensor a;
  Tensor b;
};

Pair numbers(const Kind& kind, DType dtype, std::size_t size, Random& random) {
  std::vector<double> a, b;
  for (std::size_t i = 0; i < size; ++i) {
    const auto [number, more] = kind(random, i);
    b.push_back(number);
    a.push_back(number + more);
  }
  return {Tensor::own(std::move(a)).to(dtype, ss::Overflow::allow),
          Tensor::own(std::move(b)).to(dtype, ss::Overflow::allow)};
}

struct Named {
  const char* name;
  Kind kind;
};

const std::vector<Named>& kinds() {
  static const std::vector<Named> all = {
      {"noise of one size",
       [](Random& random, std::size_t) {
         return std::pair(normal(random), 1e-3 * normal(random));
       }},
      {"noise beside each number",
       [](Random& random, std::size_t) {
         const double b = normal(random);
         return std::pair(b, 1e-2 * b * normal(random));
       }},
      {"another in a thousand",
       [](Random& random, std::size_t i) {
         return std::pair(normal(random), i % 1000 == 7 ? normal(random) : 0.0);
       }},
      {"zeros in b",
       [](Random& random, std::size_t i) {
         return std::pair(i % 3 == 0 ? 0.0 : normal(random), 1e-4 * normal(random));
       }},
      {"few whole numbers",
       [](Random& random, std::size_t) {
         return std::pair(static_cast<double>(random() % 5), static_cast<double>(random() % 3));
       }},
      {"numbers of all magnitudes",
       [](Random& random, std::size_t) {
         const double b = std::ldexp(normal(random), static_cast<int>(random() % 40) - 30);
         return std::pair(b, std::ldexp(normal(random), static_cast<int>(random() % 40) - 35));
       }},
      {"a few large ones that a sample misses",
       [](Random& random, std::size_t i) {
         return std::pair(i % 5000 == 4999 ? 3e4 : 1e-3 * normal(random), 1e-4 * normal(random));
       }},
      {"large ones at the end",
       [](Random& random, std::size_t i) {
         return std::pair(normal(random) * (i > 15'000 ? 1e4 : 1e-3), 1e-4 * normal(random));
       }},
      {"the other sign",
       [](Random& random, std::size_t) {
         const double b = normal(random);
         return std::pair(b, -2 * b);
       }},
      {"a factor",
       [](Random& random, std::size_t) {
         const double b = normal(random);
         return std::pair(b, b * 0.1);
       }},
      {"NaN and infinities",
       [](Random& random, std::size_t i) {
         constexpr double infinity = std::numeric_limits<double>::infinity();
         const double special = i % 2 == 0 ? infinity : std::nan("");
         return std::pair(i % 3001 == 5 ? special : normal(random),
                          i % 2777 == 3 ? special : 1e-3 * normal(random));
       }},
      {"all zeros in b",
       [](Random& random, std::size_t) { return std::pair(0.0, normal(random)); }},
      {"nothing", [](Random&, std::size_t) { return std::pair(0.5, 0.0); }},
      {"halves of a list",
       [](Random& random, std::size_t i) {
         return std::pair(normal(random), i < 9000 ? 0.0 : 1e-2);
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("floats are compared as the same numbers in doubles are") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (const Named& named : kinds()) {
    CAPTURE(named.name);
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16}) {
      CAPTURE(ss::to_string(dtype));
      for (const std::size_t size : {100U, 1024U, 4001U, 8192U, 20'001U, 300'000U}) {
        if (size > 100'000 && dtype != DType::F32) continue;
        CAPTURE(size);
        const Pair pair = numbers(named.kind, dtype, size, random);
        const Tensor a = pair.a.to(DType::F64), b = pair.b.to(DType::F64);
        for (const ss::Tolerance tolerance :
             {ss::Tolerance{1e-5, 1e-8}, ss::Tolerance{0, 0}, ss::Tolerance{1e-2, 0}}) {
          CAPTURE(tolerance.atol);
          check_same(ss::compare_tensors(pair.a, pair.b, tolerance),
                     ss::compare_tensors(a, b, tolerance, {dtype, dtype}));
        }
        // Beside the dtype that the numbers had, whose numbers most of them are not.
        check_same(ss::compare_tensors(pair.a, pair.b, {}, {DType::BF16, DType::F32}),
                   ss::compare_tensors(a, b, {}, {DType::BF16, dtype}));
      }
    }
  }
}

TEST_CASE("a float kernel of every set of instructions gives what a loop gives") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (const Named& named : kinds()) {
    CAPTURE(named.name);
    for (const std::size_t size : {8U, 64U, 72U, 2048U}) {
      const Pair pair = numbers(named.kind, DType::F32, size, random);
      const comparing::FloatBlock block{size, pair.a.bytes().data(), pair.b.bytes().data()};
      const comparing::FloatWatch watch{
          .tolerance = {1e-5, 1e-8}, .ratio = 200, .absolute = 2e-3, .relative = 1e-3};
      const comparing::FloatSums sums = comparing::float_kernels().sums(block, watch);
      const comparing::FloatSums plain = comparing::float_kernels(true).sums(block, watch);
      const comparing::StepWidths widths = {5, 6, 7, 20, 2, 30, 31, 32, 33};
      const comparing::FloatSteps steps = comparing::float_kernels().float_steps(block, widths);
      const comparing::FloatSteps plain_steps =
          comparing::float_kernels(true).float_steps(block, widths);
      if (!std::isfinite(sums.a_squares + sums.b_squares)) continue;
      CHECK(bits(sums.errors) == bits(plain.errors));
      CHECK(bits(sums.absolute) == bits(plain.absolute));
      CHECK(bits(sums.squares) == bits(plain.squares));
      CHECK(bits(sums.a_squares) == bits(plain.a_squares));
      CHECK(bits(sums.b_squares) == bits(plain.b_squares));
      CHECK(bits(sums.square_difference) == bits(plain.square_difference));
      CHECK(sums.is_watched == plain.is_watched);
      CHECK(steps.at_least == plain_steps.at_least);
      CHECK(steps.is_exact);
      const auto a = pair.a.data<float>();
      const auto b = pair.b.data<float>();
      const auto grid = comparing::grid_of(DType::F32);
      double largest_difference = 0, largest_b = 0;
      std::uint64_t beyond = 0, differing = 0, most = 0;
      std::array<bool, comparing::most_runs> is_watched{};
      decltype(steps.at_least) at_least{};
      for (std::size_t i = 0; i < size; ++i) {
        const double left = static_cast<double>(a[i]), right = static_cast<double>(b[i]);
        const double error = std::abs(left - right), reference = std::abs(right);
        const double allowed = reference * 1e-5 + 1e-8;
        largest_difference = std::max(largest_difference, error);
        largest_b = std::max(largest_b, reference);
        beyond += error > allowed ? 1 : 0;
        differing += error != 0 ? 1 : 0;
        is_watched[i / comparing::run_size] |=
            error >= 200 * allowed || (error > 2e-3 && error > 1e-3 * reference);
        const std::int64_t apart = grid->place(left) - grid->place(right);
        const auto far = static_cast<std::uint64_t>(std::abs(apart));
        most = std::max(most, far);
        for (std::size_t k = 0; k < at_least.size(); ++k)
          at_least[k] += static_cast<std::size_t>(std::bit_width(far)) >= widths[k] ? 1U : 0U;
      }
      for (const comparing::FloatSums& one : {sums, plain}) {
        CHECK(bits(one.largest_difference) == bits(largest_difference));
        CHECK(one.beyond == beyond);
        CHECK(one.is_watched == is_watched);
      }
      for (const comparing::FloatSteps& one : {steps, plain_steps}) {
        CHECK(one.differing == differing);
        CHECK(one.most == most);
        CHECK(static_cast<double>(one.largest_b) == largest_b);
        CHECK(one.at_least == at_least);
      }
    }
  }
}

TEST_CASE("what no number of a dtype is, is no step of it") {
  const std::array<float, 8> exact = {1, -2, 0, 0.5F, 4, 8, 16, 32};
  std::array<float, 8> fine = exact;
  fine[5] = 1.00001F;
  for (const bool baseline : {false, true}) {
    const comparing::FloatKernels& kernels = comparing::float_kernels(baseline);
    const auto bytes = [](const auto& floats) { return std::as_bytes(std::span(floats)).data(); };
    constexpr comparing::StepWidths any = {2, 2, 2, 2, 2, 2, 2, 2, 2};
    for (const auto steps : {kernels.bfloat16_steps, kernels.half_steps}) {
      CHECK(steps({8, bytes(exact), bytes(exact)}, any).is_exact);
      CHECK_FALSE(steps({8, bytes(exact), bytes(fine)}, any).is_exact);
      CHECK_FALSE(steps({8, bytes(fine), bytes(exact)}, any).is_exact);
    }
  }
}

TEST_CASE("a guess that was wrong is noticed") {
  Random random(1);
  const Pair pair = numbers(kinds()[0].kind, DType::F32, 2048, random);
  const auto grid = comparing::grid_of(DType::F32);
  const auto right =
      comparing::guess_of(numbers(kinds()[0].kind, DType::F32, 8192, random).a,
                          numbers(kinds()[0].kind, DType::F32, 8192, random).b, *grid);
  REQUIRE(right.has_value());
  const auto is_certain = [&](const comparing::Guess& guess) {
    comparing::Accumulator found({1e-5, 1e-8}, grid);
    found.expect(guess);
    const auto sums =
        found.add_floats({2048, pair.a.bytes().data(), pair.b.bytes().data()}, {}, 2048, 0);
    REQUIRE(sums.has_value());
    return found.is_certain(*sums);
  };
  const ss::TensorMetrics metrics = ss::compare_tensors(pair.a, pair.b);
  const auto exponent = comparing::floor_exponent_of(
      static_cast<long double>(metrics.norm_b) * static_cast<long double>(metrics.norm_b) / 2048);
  const auto common = static_cast<unsigned>(std::bit_width(metrics.ulp->p99));
  for (int apart = -5; apart <= 5; ++apart) {
    CAPTURE(apart);
    CHECK(is_certain({exponent + apart, common, 0}) == (std::abs(apart) <= 3));
    const unsigned guessed = common + static_cast<unsigned>(apart);
    // The width next to the others is counted too, where the most is not further away.
    CHECK(is_certain({exponent, guessed, 0}) == (apart >= -4 && apart <= 3));
    CHECK(is_certain({exponent, guessed, 31}) == (std::abs(apart) <= 3));
  }
}

TEST_CASE("the floor is the largest power of two up to a 256th of the root mean square") {
  constexpr long double none = 0;
  for (int k = -1000; k <= 1000; ++k) {
    const long double power = std::ldexp(1.0L, k);
    const int expected = static_cast<int>(std::floor(k / 2.0)) - 8;
    CAPTURE(k);
    CHECK(comparing::floor_exponent_of(power) == expected);
    CHECK(comparing::floor_exponent_of(power * 1.5L) == expected);
    CHECK(comparing::floor_exponent_of(std::nextafter(2 * power, none)) == expected);
  }
  // What squares of doubles may be, in a wider type, keeps to exponents of doubles.
  using Wide = std::numeric_limits<long double>;
  for (const long double least : {none, Wide::denorm_min(), Wide::min()})
    CHECK(comparing::floor_exponent_of(least) >= -1022);
  CHECK(comparing::floor_exponent_of(Wide::max()) <= 1023);
  CHECK(comparing::floor_exponent_of(Wide::infinity()) == 1023);
}

TEST_CASE("the floor of a sum of squares is that of their mean, on both sides of every power") {
  for (const std::uint64_t count : {1ULL, 2ULL, 3ULL, 7ULL, 64ULL, 1000ULL, 4099ULL, 65'535ULL})
    for (int k = -300; k <= 300; ++k) {
      const double at = std::ldexp(static_cast<double>(count), k);
      CAPTURE(count);
      CAPTURE(k);
      for (const double squares : {std::nextafter(at, 0.0), at, std::nextafter(at, HUGE_VAL)})
        CHECK(comparing::floor_exponent_of(squares, count) ==
              comparing::floor_exponent_of(static_cast<long double>(squares) /
                                           static_cast<long double>(count)));
    }
}

TEST_CASE("a sample says nothing of few numbers and of zeros") {
  Random random(2);
  const auto grid = comparing::grid_of(DType::F32);
  const Pair pair = numbers(kinds()[0].kind, DType::F32, 16'384, random);
  CHECK(comparing::guess_of(pair.a, pair.b, *grid).has_value());
  const std::array first = {ss::Slice{.start = 0, .stop = 1023}};
  CHECK_FALSE(comparing::guess_of(pair.a.slice(first), pair.b.slice(first), *grid).has_value());
  CHECK_FALSE(
      comparing::guess_of(pair.a, Tensor::own(std::vector<float>(16'384)), *grid).has_value());
}

TEST_CASE("what was found limits what is looked out for") {
  comparing::Watched found({.floor_exponent = 0, .bits = 10, .most_bits = 10});
  CHECK(found.watch({}, 0).absolute == 0);
  found.take(0.5, 1);
  // Beside 1 and 1/8, times 1/8; and beside 8.
  CHECK(found.watch({}, 0).absolute == 0.5 / 8);
  CHECK(found.watch({}, 0).relative == doctest::Approx(0.5 / 8));
  comparing::Watched other({.floor_exponent = 0, .bits = 10, .most_bits = 10});
  other.merge(found);
  CHECK(other.watch({}, 0).absolute == 0.5 / 8);
  CHECK(other.relative(0) == 0.5);
  CHECK(other.relative(3) == 0.5 / 8);
  CHECK_FALSE(other.relative(4));
  CHECK_FALSE(other.relative(-4));
}

TEST_CASE("a guess holds where one number in a hundred changes its sign, more of them or less") {
  const auto grid = comparing::grid_of(DType::F32);
  for (const std::size_t count : {10U, 20U, 21U, 30U}) {
    CAPTURE(count);
    std::vector<float> a(2048, 1.0F);
    std::vector<float> b(2048, 1.0F + 0x1p-10F);
    for (std::size_t i = 0; i < count; ++i) a[i * 50] = -1.0F;
    comparing::Accumulator found({1e-5, 1e-8}, grid);
    found.expect({-8, 14, 31});
    const auto sums = found.add_floats(
        {2048, std::as_bytes(std::span(a)).data(), std::as_bytes(std::span(b)).data()}, {}, 2048,
        0);
    REQUIRE(sums.has_value());
    CHECK(found.is_certain(*sums));
    const unsigned bits = found.result(*sums, 2048).common_bits;
    CHECK(bits == (count > 20 ? 31 : 14));
    const auto metrics = ss::compare_tensors(Tensor::own(std::move(a)), Tensor::own(std::move(b)));
    CHECK(static_cast<unsigned>(std::bit_width(metrics.ulp->p99)) == bits);
  }
}
