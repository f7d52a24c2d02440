/// \file
/// Steps between numbers of BF16 and F16 are the same, counted on their words and as floats.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/tensor.hpp>

#include "compare/kernels/word_kernels.hpp"
#include "compare/metrics/ulp.hpp"

namespace {

namespace ss = safestructures;
namespace comparing = ss::comparing;
using ss::DType;
using Words = std::vector<std::uint16_t>;

constexpr comparing::StepWidths widths = {2, 3, 8, 11, 14, 15, 16, 17, 33};

std::uint16_t infinite(DType dtype) { return dtype == DType::F16 ? 0x7C00 : 0x7F80; }

/// A finite number, of any magnitude.
std::uint16_t finite(DType dtype, std::mt19937_64& random) {
  const auto word = static_cast<std::uint16_t>(random());
  return (word & 0x7FFFU) < infinite(dtype) ? word : static_cast<std::uint16_t>(word & 0x83FFU);
}

comparing::WordBlock block_of(const Words& a, const Words& b) {
  return {a.size(), std::as_bytes(std::span(a)).data(), std::as_bytes(std::span(b)).data()};
}

std::vector<double> numbers_of(const Words& words, DType dtype) {
  std::vector<double> numbers(words.size());
  ss::convert_elements(dtype, std::as_bytes(std::span(words)), DType::F64,
                       std::as_writable_bytes(std::span(numbers)), words.size(),
                       ss::Overflow::allow);
  return numbers;
}

/// One number after the other, by the places that the grid gives them.
comparing::FloatSteps expected(const Words& a, const Words& b, DType dtype) {
  const std::vector<double> left = numbers_of(a, dtype), right = numbers_of(b, dtype);
  const auto grid = comparing::grid_of(dtype);
  comparing::FloatSteps steps;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto apart =
        static_cast<std::uint32_t>(std::abs(grid->place(left[i]) - grid->place(right[i])));
    steps.differing += apart != 0 ? 1U : 0U;
    steps.most = std::max(steps.most, apart);
    steps.largest_b = std::max(steps.largest_b, static_cast<float>(std::abs(right[i])));
    for (std::size_t k = 0; k < widths.size(); ++k)
      steps.at_least[k] += static_cast<unsigned>(std::bit_width(apart)) >= widths[k] ? 1U : 0U;
  }
  return steps;
}

void check(const Words& a, const Words& b, DType dtype) {
  const comparing::FloatSteps right = expected(a, b, dtype);
  for (const bool baseline : {false, true}) {
    CAPTURE(baseline);
    const comparing::FloatSteps found =
        comparing::word_steps(dtype, block_of(a, b), widths, baseline);
    CHECK(found.is_exact);
    CHECK(found.differing == right.differing);
    CHECK(found.most == right.most);
    CHECK(found.largest_b == right.largest_b);
    CHECK(found.at_least == right.at_least);
  }
}

}  // namespace

TEST_CASE("steps on words are those between their numbers, however many there are") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const DType dtype : {DType::F16, DType::BF16})
    for (const std::size_t count : {1U, 7U, 8U, 9U, 16U, 33U, 100U, 2048U, 65'535U}) {
      CAPTURE(static_cast<int>(dtype));
      CAPTURE(count);
      Words a(count), b(count);
      for (std::size_t i = 0; i < count; ++i) {
        a[i] = finite(dtype, random);
        // Far away, near, and the same.
        const std::uint64_t kind = random() % 3;
        const auto near = static_cast<std::uint16_t>(a[i] ^ (random() & 3U));
        b[i] = kind == 0                                         ? finite(dtype, random)
               : kind == 1 && (near & 0x7FFFU) < infinite(dtype) ? near
                                                                 : a[i];
      }
      check(a, b, dtype);
    }
}

TEST_CASE("the largest numbers of both signs are the furthest apart, and both zeros are one") {
  for (const DType dtype : {DType::F16, DType::BF16}) {
    const auto most = static_cast<std::uint16_t>(infinite(dtype) - 1);
    const auto least = static_cast<std::uint16_t>(most | 0x8000U);
    check({most, least, 0x8000, 0, 1, 0x8001}, {least, most, 0, 0x8000, 0x8001, 1}, dtype);
    const Words zeros = {0x8000, 0};
    const Words others = {0, 0x8000};
    CHECK(comparing::word_steps(dtype, block_of(zeros, others), widths).differing == 0);
  }
}

TEST_CASE("where a word is no number nothing is said") {
  for (const DType dtype : {DType::F16, DType::BF16})
    for (const bool baseline : {false, true})
      for (const std::size_t place : {0U, 15U, 16U, 40U}) {
        Words a(41, 0x3C00);
        const Words b = a;
        for (const unsigned sign : {0U, 0x8000U})
          for (const unsigned above : {0U, 1U}) {
            a[place] = static_cast<std::uint16_t>((infinite(dtype) + above) | sign);
            CHECK_FALSE(comparing::word_steps(dtype, block_of(a, b), widths, baseline).is_exact);
            CHECK_FALSE(comparing::word_steps(dtype, block_of(b, a), widths, baseline).is_exact);
          }
        a[place] = static_cast<std::uint16_t>(infinite(dtype) - 1);
        CHECK(comparing::word_steps(dtype, block_of(a, b), widths, baseline).is_exact);
      }
}
