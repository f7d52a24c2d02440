/// \file
/// What is not suspected beside zeros, which no fault makes of numbers, and beside constants.
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "support/gaussian.hpp"
#include "support/suspected.hpp"

namespace {

namespace ss = safestructures;

constexpr std::size_t rows = 8;
constexpr std::size_t width = 16;

/// Whether a fault is suspected where the rows of b become those of a by `change`.
/// \param is_zero whether a row of b is zero, and that of a is not
template <class Change>
bool is_suspected(std::string_view fault, bool is_zero, const Change& change) {
  std::vector<float> b = ss::test::gaussian<float>(rows * width, 7, 1);
  std::vector<float> a = b;
  for (std::size_t i = 0; i < rows; ++i) change(i, a.data() + i * width);
  for (std::size_t j = 0; is_zero && j < width; ++j) {
    a[5 * width + j] = 0.5F * b[5 * width + j];
    b[5 * width + j] = 0;
  }
  const auto file = [](std::vector<float> numbers) {
    return ss::Value::dict({{"x", ss::Tensor::own(std::move(numbers), {rows, width})}});
  };
  for (const ss::Suspicion& one :
       ss::compare(file(std::move(a)), file(std::move(b))).rows.at(0).suspicions)
    if (one.fault == fault) return true;
  return false;
}

}  // namespace

TEST_CASE("a row that is zero on one side alone was not turned, and has no factor") {
  const auto turn = [](std::size_t i, float* row) {
    const auto angle = static_cast<float>(i);
    const float x = row[0];
    const float y = row[1];
    row[0] = std::cos(angle) * x - std::sin(angle) * y;
    row[1] = std::sin(angle) * x + std::cos(angle) * y;
  };
  CHECK(is_suspected("RoPE interleaving", false, turn));
  CHECK(!is_suspected("RoPE interleaving", true, turn));
  const auto scale = [](std::size_t i, float* row) {
    for (std::size_t j = 0; j < width; ++j) row[j] *= 1.01F + 0.02F * static_cast<float>(i);
  };
  CHECK(is_suspected("norm epsilon", false, scale));
  CHECK(!is_suspected("norm epsilon", true, scale));
}

TEST_CASE("the factors of rows are above or below 1, whichever the first row has") {
  const auto evidence = [](float direction) {
    const std::vector<float> b = ss::test::gaussian<float>(rows * width, 7, 1);
    std::vector<float> a = b;
    // The first row is equal, or nearly.
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] *= 1 + direction * (i < width ? -0.0001F : 0.02F * static_cast<float>(i / width));
    const auto tensor = [](std::vector<float> numbers) {
      return ss::Tensor::own(std::move(numbers), {rows, width});
    };
    for (const ss::Suspicion& one : ss::test::suspected(tensor(std::move(a)), tensor(b)))
      if (one.fault == "norm epsilon") return one.evidence;
    return std::string();
  };
  CHECK(evidence(1) == "each row is b's times a factor of its own, 0.0001 to 0.14 above 1");
  CHECK(evidence(-1) == "each row is b's times a factor of its own, 0.0001 to 0.14 below 1");
  // No norm changes the sign.
  CHECK(evidence(7) == "each row is b's times a factor of its own, 0.0007 to 0.98 above 1");
  CHECK(evidence(-7) == "each row is b's times a factor of its own, 0.0007 to 0.98 below 1");
  CHECK(evidence(8) == "each row is b's times a factor of its own, 0.0008 to 1.12 above 1");
  CHECK(evidence(-8).empty());
}

TEST_CASE("rows with a single number other than zero are not taken for multiples of each other") {
  for (const std::size_t others : {1U, 2U, 3U, 4U}) {
    CAPTURE(others);
    const auto scale = [&](std::size_t i, float* row) {
      for (std::size_t j = 0; j < others; ++j) row[j] *= 0.9F - 0.1F * static_cast<float>(i);
    };
    std::vector<float> b = ss::test::gaussian<float>(rows * width, 7, 1);
    for (std::size_t i = 0; i < b.size(); ++i)
      if (i % width >= others) b[i] = 0;
    std::vector<float> a = b;
    for (std::size_t i = 0; i < rows; ++i) scale(i, a.data() + i * width);
    const auto tensor = [](std::vector<float> numbers) {
      return ss::Tensor::own(std::move(numbers), {rows, width});
    };
    CHECK(ss::test::names(ss::test::suspected(tensor(std::move(a)), tensor(std::move(b))),
                          "norm epsilon") == (others == 4));
  }
}

TEST_CASE("nothing is suspected against zeros, and no dtype of sums against a constant") {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const ss::Shape& of : {ss::Shape{8, 8}, ss::Shape{3, 4, 8}, ss::Shape{64, 16}}) {
      CAPTURE(seed);
      CAPTURE(ss::to_string(of));
      const auto count = static_cast<std::size_t>(ss::element_count(of));
      const auto file = [&](std::vector<float> numbers) {
        return ss::Value::dict({{"x", ss::Tensor::own(std::move(numbers), of)}});
      };
      const ss::Value random = file(ss::test::gaussian<float>(count, seed, 1));
      const ss::Value zeros = file(std::vector<float>(count));
      CHECK(ss::compare(random, zeros).rows.at(0).suspicions.empty());
      CHECK(ss::compare(zeros, random).rows.at(0).suspicions.empty());
      for (const ss::Suspicion& one :
           ss::compare(random, file(std::vector<float>(count, 1))).rows.at(0).suspicions)
        CHECK(one.fault != "accumulation dtype");
    }
}
