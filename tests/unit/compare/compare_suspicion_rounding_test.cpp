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

TEST_CASE("a position offset of waves is suspected where rounding hides the slow ones") {
  const auto waves = [](std::size_t position, std::size_t column) {
    const double angle =
        static_cast<double>(position) *
        std::pow(1e-4, static_cast<double>(column / 2 * 2) / static_cast<double>(width));
    return column % 2 == 0 ? std::sin(angle) : std::cos(angle);
  };
  for (const ss::DType dtype : {ss::DType::F32, ss::DType::F16, ss::DType::BF16}) {
    CAPTURE(ss::to_string(dtype));
    const ss::Tensor input = matrix(ss::test::gaussian<double>(rows * width, 1), dtype);
    const auto sum = [&](std::size_t offset) {
      Numbers numbers = input.to_vector<double>();
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] += waves(i / width + offset, i % width);
      return matrix(std::move(numbers), dtype);
    };
    CHECK(ss::test::names(ss::test::suspected(sum(1), sum(0), &input), "position offset"));
    CHECK(ss::test::names(ss::test::suspected(sum(0), sum(1), &input), "position offset"));
    CHECK(!ss::test::names(ss::test::suspected(sum(4), sum(0), &input), "position offset"));
  }
}

TEST_CASE("a norm's epsilon is suspected where rounding hides it in all rows but one") {
  const Numbers numbers = ss::test::gaussian<double>(rows * width, 1);
  const auto normed = [&](double epsilon, ss::DType dtype) {
    Numbers made = numbers;
    for (std::size_t row = 0; row < rows; ++row) {
      // Such as padding.
      const double size = row == rows - 1 ? 0.03 : 0.1 + 0.02 * static_cast<double>(row);
      double squares = 0;
      for (std::size_t i = row * width; i < (row + 1) * width; ++i)
        squares += (made[i] *= size) * made[i];
      for (std::size_t i = row * width; i < (row + 1) * width; ++i)
        made[i] /= std::sqrt(squares / static_cast<double>(width) + epsilon);
    }
    return matrix(std::move(made), dtype);
  };
  for (const ss::DType dtype : {ss::DType::F32, ss::DType::F16}) {
    CAPTURE(ss::to_string(dtype));
    const std::vector<ss::Suspicion> found =
        ss::test::suspected(normed(1e-5, dtype), normed(1e-6, dtype));
    CHECK(ss::test::names(found, "norm epsilon"));
  }
}

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
