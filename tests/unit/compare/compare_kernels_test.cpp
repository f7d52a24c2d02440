/// \file
/// The vector kernels of compare give the same on every processor, and what a plain loop gives.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <safestructures/data/convert.hpp>
#include "compare/kernels/block_kernels.hpp"
#include "compare/metrics/ulp.hpp"

namespace ss = safestructures;
namespace comparing = ss::comparing;

namespace {

/// Numbers of a block, zeros behind them up to whole lanes.
struct Data {
  explicit Data(std::size_t size, std::uint64_t seed)
      : count(size),
        a((size + comparing::lanes - 1) / comparing::lanes * comparing::lanes),
        b(a.size()),
        difference(a.size()),
        reference(a.size()) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> exponent(-60, 60);
    std::uniform_int_distribution<int> kind(0, 9);
    for (std::size_t i = 0; i < count; ++i) {
      b[i] = kind(random) == 0 ? 0 : std::ldexp(normal(random), exponent(random));
      a[i] = kind(random) < 3 ? b[i] : b[i] * (1 + 1e-4 * normal(random));
      if (kind(random) == 0) a[i] = -0.0;
      difference[i] = a[i] - b[i];
      reference[i] = std::abs(b[i]);
    }
  }
  comparing::Block block() {
    return {.count = count, .a = a, .b = b, .difference = difference, .reference = reference};
  }

  std::size_t count;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> difference;
  std::vector<double> reference;
};

std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

}  // namespace

TEST_CASE("kernels of every set of instructions give the same bits") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  const ss::Tolerance tolerance{1e-5, 1e-8};
  const comparing::BlockKernels& best = comparing::block_kernels();
  const comparing::BlockKernels& plain = comparing::block_kernels(true);
  for (const std::size_t count : {1U, 7U, 8U, 9U, 1000U, 2048U}) {
    Data data(count, seed + count);
    const comparing::Block block = data.block();
    const comparing::Range range = best.range(block);
    const comparing::Range other = plain.range(block);
    CHECK(bits(range.most) == bits(other.most));
    CHECK(bits(range.least) == bits(other.least));
    const comparing::BlockSums sums = best.sums(block);
    const comparing::BlockSums more = plain.sums(block);
    CHECK(bits(sums.errors) == bits(more.errors));
    CHECK(bits(sums.absolute) == bits(more.absolute));
    CHECK(bits(sums.squares) == bits(more.squares));
    CHECK(bits(sums.a_squares) == bits(more.a_squares));
    CHECK(bits(sums.b_squares) == bits(more.b_squares));
    CHECK(bits(sums.square_difference) == bits(more.square_difference));
    CHECK(bits(sums.largest_b) == bits(more.largest_b));
    CHECK(bits(sums.largest_difference) == bits(more.largest_difference));
    const comparing::BlockSquares squares = best.squares(data.b);
    CHECK(bits(squares.sum) == bits(plain.squares(data.b).sum));
    CHECK(bits(squares.sum) == bits(sums.b_squares));
    CHECK(bits(squares.largest) == bits(plain.squares(data.b).largest));
    std::vector<double> ratios(data.a.size()), ratios_2(ratios);
    const double max_ratio = best.ratios(block, tolerance, ratios.data());
    CHECK(bits(max_ratio) == bits(plain.ratios(block, tolerance, ratios_2.data())));
    CHECK(std::ranges::equal(ratios, ratios_2, {}, bits, bits));
    for (const double near : {0.0, max_ratio / 2, max_ratio, max_ratio * 2 + 1}) {
      const comparing::BlockVerdict verdict = best.judge(block, tolerance, near);
      const comparing::BlockVerdict verdict_2 = plain.judge(block, tolerance, near);
      CHECK(verdict.differing == verdict_2.differing);
      CHECK(verdict.beyond == verdict_2.beyond);
      CHECK(verdict.is_near == verdict_2.is_near);
    }
    std::vector<double> differences(data.a.size()), references(differences);
    for (const comparing::BlockKernels* kernels : {&best, &plain}) {
      kernels->subtract(data.a.data(), data.b.data(), data.a.size(), differences.data(),
                        references.data());
      CHECK(std::ranges::equal(differences, data.difference, {}, bits, bits));
      CHECK(std::ranges::equal(references, data.reference, {}, bits, bits));
    }
    std::vector<std::uint64_t> steps(data.a.size()), steps_2(steps);
    best.float_steps(block, steps.data());
    plain.float_steps(block, steps_2.data());
    CHECK(steps == steps_2);
    const std::uint64_t most = std::ranges::max(steps);
    CHECK(best.widths(steps.data(), steps.size()) == most);
    CHECK(plain.widths(steps_2.data(), steps_2.size()) == most);
    CHECK(steps == steps_2);
  }
}

TEST_CASE("kernels give what a loop over the numbers gives") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  Data data(2047, seed);
  const comparing::Block block = data.block();
  const ss::Tolerance tolerance{1e-5, 1e-8};
  const comparing::BlockKernels& kernels = comparing::block_kernels();
  double most = 0, least = std::numeric_limits<double>::infinity(), max_ratio = 0;
  long double squares = 0, square_difference = 0;
  std::uint64_t differing = 0, beyond = 0;
  std::vector<double> ratios(data.a.size());
  std::vector<std::uint64_t> steps(data.a.size());
  const double found_ratio = kernels.ratios(block, tolerance, ratios.data());
  kernels.float_steps(block, steps.data());
  const auto grid = comparing::grid_of(ss::DType::F32);
  for (std::size_t i = 0; i < data.count; ++i) {
    const double error = std::abs(data.difference[i]);
    for (const double one : {std::abs(data.a[i]), data.reference[i], error}) {
      most = std::max(most, one);
      if (one != 0) least = std::min(least, one);
    }
    squares += static_cast<long double>(error) * static_cast<long double>(error);
    square_difference += static_cast<long double>(data.difference[i]) *
                         static_cast<long double>(data.a[i] + data.b[i]);
    const double allowed = tolerance.atol + tolerance.rtol * data.reference[i];
    if (error > 0) {
      ++differing;
      max_ratio = std::max(max_ratio, error / allowed);
      CHECK(ratios[i] == error / allowed);
    } else {
      CHECK(ratios[i] == 0);
    }
    beyond += error > allowed ? 1 : 0;
    const std::int64_t apart = grid->place(data.a[i]) - grid->place(data.b[i]);
    CHECK(steps[i] == static_cast<std::uint64_t>(std::abs(apart)));
  }
  const comparing::Range range = kernels.range(block);
  CHECK(range.is_finite);
  CHECK(range.most == most);
  CHECK(range.least == least);
  CHECK(found_ratio == max_ratio);
  const comparing::BlockVerdict verdict = kernels.judge(block, tolerance, max_ratio * (1 - 1e-15));
  CHECK(verdict.differing == differing);
  CHECK(verdict.beyond == beyond);
  CHECK(verdict.is_near);
  CHECK_FALSE(kernels.judge(block, tolerance, max_ratio * 1.001).is_near);
  CHECK(differing > 500);
  const comparing::BlockSums sums = kernels.sums(block);
  CHECK(sums.squares == doctest::Approx(static_cast<double>(squares)).epsilon(1e-12));
  CHECK(sums.square_difference ==
        doctest::Approx(static_cast<double>(square_difference)).epsilon(1e-9));
}

TEST_CASE("steps of narrow dtypes are those of the grid, or left to it") {
  struct Case {
    ss::DType dtype;
    bool (*comparing::BlockKernels::*steps)(const comparing::Block&, std::uint64_t*);
  };
  for (const Case& one : {Case{ss::DType::BF16, &comparing::BlockKernels::bfloat16_steps},
                          Case{ss::DType::F16, &comparing::BlockKernels::half_steps}}) {
    CAPTURE(ss::to_string(one.dtype));
    const auto grid = comparing::grid_of(one.dtype);
    // Every code that is a finite number, beside another one.
    std::vector<std::uint16_t> codes(1U << 16U);
    std::iota(codes.begin(), codes.end(), std::uint16_t{0});
    std::vector<double> all(codes.size());
    ss::convert_elements(one.dtype, std::as_bytes(std::span(codes)), ss::DType::F64,
                         std::as_writable_bytes(std::span(all)), all.size());
    std::erase_if(all, [](double number) { return !std::isfinite(number); });
    while (all.size() % comparing::lanes != 0) all.push_back(0);
    std::vector<double> others(all.rbegin(), all.rend());
    std::rotate(others.begin(), others.begin() + 12'345, others.end());
    for (const bool baseline : {true, false}) {
      const comparing::BlockKernels& kernels = comparing::block_kernels(baseline);
      const comparing::Block block{
          .count = all.size(), .a = all, .b = others, .difference = {}, .reference = {}};
      std::vector<std::uint64_t> steps(all.size());
      REQUIRE((kernels.*one.steps)(block, steps.data()));
      bool same = true;
      for (std::size_t i = 0; i < all.size(); ++i)
        same &= steps[i] ==
                static_cast<std::uint64_t>(std::abs(grid->place(all[i]) - grid->place(others[i])));
      CHECK(same);
      // What is no number of the dtype: between two, too large, too small, too fine for F32.
      for (const double number : {1 + 0x1p-12, 0x1p200, 0x1p-200, 1 + 0x1p-40, 0x1p-24 * 1.5}) {
        if (one.dtype == ss::DType::BF16 && number == 0x1p-24 * 1.5) continue;
        CAPTURE(number);
        for (std::vector<double>* side : {&all, &others}) {
          const double kept = std::exchange((*side)[77], -number);
          CHECK_FALSE((kernels.*one.steps)(block, steps.data()));
          (*side)[77] = kept;
        }
      }
    }
  }
}

TEST_CASE("one number that is not finite is noticed wherever it stands") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double special : {infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}) {
    for (std::size_t at = 0; at < 24; ++at) {
      for (const bool in_a : {true, false}) {
        Data data(24, at + 1);
        (in_a ? data.a : data.b)[at] = special;
        for (const bool baseline : {true, false}) {
          const comparing::BlockKernels& kernels = comparing::block_kernels(baseline);
          CHECK_FALSE(kernels.range(data.block()).is_finite);
          // What the narrow dtypes are told by.
          const comparing::BlockSums sums = kernels.sums(data.block());
          CHECK_FALSE(std::isfinite(sums.a_squares + sums.b_squares));
          CHECK_FALSE(std::isfinite(kernels.squares(in_a ? data.a : data.b).sum));
        }
      }
    }
  }
}

TEST_CASE("the widths of steps are those of std::bit_width") {
  for (const bool baseline : {true, false}) {
    std::vector<std::uint64_t> steps{0, 1, 2, 3};
    for (unsigned bit = 2; bit < 52; ++bit)
      for (const std::uint64_t step : {std::uint64_t{1} << bit, (std::uint64_t{2} << bit) - 1})
        steps.push_back(step);
    while (steps.size() % comparing::lanes != 0) steps.push_back(5);
    std::vector<std::uint64_t> widths = steps;
    CHECK(comparing::block_kernels(baseline).widths(widths.data(), widths.size()) ==
          (std::uint64_t{1} << 52U) - 1);
    for (std::size_t i = 0; i < steps.size(); ++i)
      CHECK(widths[i] == static_cast<std::uint64_t>(std::bit_width(steps[i])));
  }
}
