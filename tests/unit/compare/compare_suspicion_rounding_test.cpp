/// \file
/// Faults that rounding hides at some of the places.
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/safestructures.hpp>
#include "support/gaussian.hpp"
#include "support/suspected.hpp"

namespace {

namespace ss = safestructures;
using Numbers = std::vector<double>;

constexpr std::size_t rows = 16;
constexpr std::size_t width = 64;

ss::Tensor matrix(Numbers numbers, ss::DType dtype) {
  return ss::Tensor::own(std::move(numbers)).to(dtype).reshape({rows, width});
}

}  // namespace

TEST_CASE("a mask that is off by one is suspected beside the rounding of the last output") {
  const Numbers exact = ss::test::gaussian<double>(rows * width, 1);
  const Numbers leaked = ss::test::gaussian<double>(rows * width, 2, 0.5);
  Numbers other = exact;
  // Later outputs hardly see the token after them.
  for (std::size_t i = 0; i < (rows - 1) * width; ++i)
    other[i] += leaked[i] * std::exp(-0.43 * static_cast<double>(i / width));
  CHECK(ss::test::names(
      ss::test::suspected(matrix(other, ss::DType::F16), matrix(exact, ss::DType::F32)),
      "mask off by one"));
}
