/// \file
/// The evidence for a fault says which side did what.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include "support/gaussian.hpp"
#include "support/suspected.hpp"

namespace {

namespace ss = safestructures;
using Numbers = std::vector<double>;

constexpr std::size_t rows = 32;
constexpr std::size_t width = 8;

ss::Tensor tensor(Numbers numbers) {
  return ss::Tensor::own(std::move(numbers), {rows, width}).to(ss::DType::F32);
}

/// Returns the evidence for a fault; empty if it is not suspected.
std::string evidence(std::string_view fault, const Numbers& a, const Numbers& b,
                     const Numbers& input = {}) {
  const ss::Tensor known = input.empty() ? ss::Tensor() : tensor(input);
  for (const ss::Suspicion& one :
       ss::test::suspected(tensor(a), tensor(b), input.empty() ? nullptr : &known))
    if (one.fault == fault) return one.evidence;
  return {};
}

Numbers gaussian(unsigned seed) { return ss::test::gaussian<double>(rows * width, seed); }

/// Returns the numbers of the given rows and columns.
Numbers moved(const Numbers& x,
              const std::function<std::size_t(std::size_t row, std::size_t column)>& from) {
  Numbers made(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) made[i] = x[from(i / width, i % width)];
  return made;
}

Numbers each(const Numbers& x, double (*function)(double)) {
  Numbers made;
  for (const double number : x) made.push_back(function(number));
  return made;
}

/// Turns pairs by angles that grow with the row.
Numbers rope(const Numbers& x, bool are_neighbours, double offset = 0) {
  Numbers made = x;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t pair = 0; pair < width / 2; ++pair) {
      const std::size_t first = row * width + (are_neighbours ? 2 * pair : pair);
      const std::size_t second = first + (are_neighbours ? 1 : width / 2);
      const double angle =
          (static_cast<double>(row) + offset) * std::pow(10, -static_cast<double>(pair));
      made[first] = x[first] * std::cos(angle) - x[second] * std::sin(angle);
      made[second] = x[first] * std::sin(angle) + x[second] * std::cos(angle);
    }
  return made;
}

/// x, and 1 more in some rows.
Numbers more_in(const Numbers& x, std::size_t begin, std::size_t end) {
  Numbers made = x;
  for (std::size_t i = begin * width; i < end * width; ++i) made[i] += 1 + 0.1 * x[i];
  return made;
}

double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}
double silu(double x) { return x / (1 + std::exp(-x)); }
double relu(double x) { return std::max(x, 0.0); }

struct Fault {
  std::string_view name;
  Numbers a;
  Numbers b;
  Numbers input;
  std::string expected;
  std::string exchanged;
};

std::vector<Fault> faults() {
  const Numbers x = gaussian(1);
  const Numbers wide = each(x, [](double v) { return 2 * v; });
  const Numbers halves = moved(
      x, [](std::size_t row, std::size_t j) { return row * width + j / 2 + j % 2 * (width / 2); });
  const Numbers later =
      moved(x, [](std::size_t row, std::size_t j) { return (row + rows - 1) % rows * width + j; });
  return {
      {"missing scale",
       each(x, [](double v) { return 4 * std::sqrt(2.0) * v; }),
       x,
       {},
       "a is b times 5.65685, the square root of 32",
       "a is b times 0.176777, one over the square root of 32"},
      {"missing scale",
       each(x, [](double v) { return -v; }),
       x,
       {},
       "a is b times -1: the sign differs",
       "a is b times -1: the sign differs"},
      {"RoPE interleaving",
       halves,
       x,
       {},
       "in blocks of 8 along dimension 1, neighbours of a are the halves of b",
       "in blocks of 8 along dimension 1, the halves of a are neighbours of b"},
      {"RoPE interleaving", rope(x, true), rope(x, false), x,
       "in heads of 8, a turns neighbours (2i and 2i + 1), b what is 4 apart: the lengths of these "
       "pairs are the input's",
       "in heads of 8, b turns neighbours (2i and 2i + 1), a what is 4 apart: the lengths of these "
       "pairs are the input's"},
      {"position offset",
       rope(x, false, 2),
       rope(x, false),
       {},
       "every pair of a is b's, turned by one angle at all positions: the first by 2.000, as an "
       "offset of 2 makes it",
       "every pair of a is b's, turned by one angle at all positions: the first by -2.000, as an "
       "offset of -2 makes it"},
      {"position offset",
       rope(x, false, 0.5),
       rope(x, false),
       {},
       "every pair of a is b's, turned by one angle at all positions: the first by 0.500",
       "every pair of a is b's, turned by one angle at all positions: the first by -0.500"},
      {"position offset",
       later,
       x,
       {},
       "a at index i of dimension 0 equals b at i - 1",
       "a at index i of dimension 0 equals b at i + 1"},
      {"GELU variant", each(wide, gelu), each(wide, gelu_tanh), wide,
       "a is GELU by erf of the input, b is GELU by tanh",
       "a is GELU by tanh of the input, b is GELU by erf"},
      {"other activation", each(x, silu), each(x, relu), x, "a is SiLU of the input, b is ReLU",
       "a is ReLU of the input, b is SiLU"},
      {"padding",
       more_in(x, 29, rows),
       x,
       {},
       "only the last 3 of 32 indices of dimension 0 differ",
       "only the last 3 of 32 indices of dimension 0 differ"},
      {"padding",
       more_in(x, 0, 3),
       x,
       {},
       "only the first 3 of 32 indices of dimension 0 differ",
       "only the first 3 of 32 indices of dimension 0 differ"},
  };
}

}  // namespace

TEST_CASE("the evidence for a fault names the side that has it") {
  for (const Fault& fault : faults()) {
    CHECK(evidence(fault.name, fault.a, fault.b, fault.input) == fault.expected);
    CHECK(evidence(fault.name, fault.b, fault.a, fault.input) == fault.exchanged);
  }
}

TEST_CASE("without the input, the evidence for a GELU says which variant each side is") {
  const Numbers x = each(gaussian(1), [](double v) { return 2 * v; });
  const auto text = [&](double (*of_a)(double), double (*of_b)(double)) {
    return evidence("GELU variant", each(x, of_a), each(x, of_b));
  };
  const std::string tanh_a = text(gelu_tanh, gelu);
  CHECK(tanh_a.find(" and equals GELU by tanh minus GELU by erf, in ") != std::string::npos);
  const std::string erf_a = text(gelu, gelu_tanh);
  CHECK(erf_a.find(" and equals GELU by erf minus GELU by tanh, in ") != std::string::npos);
}
