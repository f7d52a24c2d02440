/// \file
/// Faults that look like each other are told apart.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/folder.hpp"
#include "support/gaussian.hpp"
#include "support/suspected.hpp"

namespace {

namespace ss = safestructures;
using ss::test::names;
using ss::test::suspected;
using Numbers = std::vector<double>;

constexpr std::size_t rows = 32;

Numbers gaussian(std::size_t count, unsigned seed, double size = 1) {
  return ss::test::gaussian<double>(count, seed, size);
}

ss::Tensor tensor(Numbers numbers, ss::Shape shape, ss::DType dtype = ss::DType::F32) {
  return ss::Tensor::own(std::move(numbers), std::move(shape)).to(dtype);
}

/// x, and y so many times.
Numbers plus(Numbers x, const Numbers& y, double times = 1) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += times * y[i % y.size()];
  return x;
}

/// Each row over the root of its mean square, times a weight and what is added to it.
Numbers rms_norm(const Numbers& x, std::size_t width, double epsilon, double more = 0) {
  const Numbers weight = plus(Numbers(width, 1), gaussian(width, 90, 0.2));
  Numbers made(x.size());
  for (std::size_t row = 0; row < x.size(); row += width) {
    double square = epsilon;
    for (std::size_t j = 0; j < width; ++j)
      square += x[row + j] * x[row + j] / static_cast<double>(width);
    for (std::size_t j = 0; j < width; ++j)
      made[row + j] = x[row + j] / std::sqrt(square) * (weight[j] + more);
  }
  return made;
}

/// Each row times a matrix.
Numbers linear(const Numbers& x, std::size_t width, unsigned seed) {
  const Numbers weight = gaussian(width * width, seed, 0.2);
  Numbers made(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < width; ++k)
      made[i] += x[i / width * width + k] * weight[k * width + i % width];
  return made;
}

}  // namespace

TEST_CASE("a residual after a norm, with rows of one size, is not taken for an epsilon") {
  for (const std::size_t width : {64U, 256U, 768U}) {
    CAPTURE(width);
    const ss::Shape shape{rows, width};
    const Numbers x = rms_norm(gaussian(rows * width, 1), width, 1e-6);
    const Numbers y = gaussian(rows * width, 2, 0.5);
    const ss::Tensor input = tensor(x, shape);
    for (const double times : {0.0, 2.0}) {
      const std::vector<ss::Suspicion> found =
          suspected(tensor(plus(y, x, times), shape), tensor(plus(y, x), shape), &input);
      REQUIRE(found.size() == 1);
      CHECK(found[0].fault == "wrong residual");
      CHECK(found[0].evidence == (times == 0 ? "a - b is the input times -1: a lacks it"
                                             : "a - b is the input times 1: a adds it once more"));
    }
    // A factor of the residual is another fault, and no usual one.
    CHECK(suspected(tensor(plus(y, x), shape), tensor(plus(y, x, 0.5), shape), &input).empty());
  }
}

TEST_CASE("one factor of rows of other sizes is not taken for an epsilon, even if it is exact") {
  constexpr std::size_t width = 64;
  const ss::Shape shape{rows, width};
  Numbers x(rows * width);
  Numbers more(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto whole = [](std::size_t number) { return static_cast<double>(number % 7) - 3; };
    x[i] = std::ldexp(whole(i * i + i / width), static_cast<int>(i / width % 3) - 6);
    more[i] = whole(i * 5 + i / width);
  }
  const ss::Tensor input = tensor(x, shape);
  const Numbers b = plus(more, x, 16);
  CHECK(!names(suspected(tensor(plus(b, x, 0.125), shape), tensor(b, shape), &input),
               "norm epsilon"));
}

TEST_CASE("a sum lacks one of the tensors that went in, whichever stands first") {
  const ss::Shape shape{rows, 16};
  const Numbers x = gaussian(rows * 16, 1);
  const Numbers y = gaussian(rows * 16, 2);
  const ss::test::Folder folder;
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    recorder.record("add.input", ss::Value::list({tensor(x, shape), tensor(y, shape)}));
    recorder.record("add", tensor(is_a ? y : plus(x, y), shape));
    recorder.record("other.input", ss::Value::list({tensor(x, shape), tensor(y, shape)}));
    recorder.record("other", tensor(is_a ? x : plus(x, y), shape));
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.culprits.size() == 2);
  std::vector<std::string> evidence;
  for (const ss::Culprit& culprit : found.culprits)
    for (const ss::Suspicion& one : found.rows[culprit.row].suspicions)
      evidence.push_back(one.evidence);
  std::ranges::sort(evidence);
  const std::string lacks = "a - b is the input times -1: a lacks it";
  CHECK(evidence == std::vector<std::string>{lacks, lacks + ", with other.input/1 as the input"});
}

TEST_CASE("a norm of rows of size 1 whose weight is 1 more has no residual") {
  constexpr std::size_t width = 64;
  const ss::Shape shape{rows, width};
  const Numbers x = gaussian(rows * width, 1);
  const ss::Tensor input = tensor(x, shape);
  CHECK(!names(suspected(tensor(rms_norm(x, width, 1e-6, 1), shape),
                         tensor(rms_norm(x, width, 1e-6), shape), &input),
               "wrong residual"));
}

TEST_CASE("the epsilon of a mean square is not called that of a variance, nor a scale") {
  constexpr std::size_t width = 64;
  const ss::Shape shape{rows, width};
  const Numbers x = gaussian(rows * width, 1, 0.3);
  const ss::Tensor input = tensor(x, shape);
  const std::vector<ss::Suspicion> found = suspected(
      tensor(rms_norm(x, width, 1e-3), shape), tensor(rms_norm(x, width, 1e-6), shape), &input);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == "norm epsilon");
  CHECK(found[0].evidence.find("the mean square of a row") != std::string::npos);
  CHECK(found[0].explained.value_or(0) > 0.9999);
}

TEST_CASE("another weight is not taken for an epsilon where all rows of the input have one size") {
  constexpr std::size_t width = 64;
  const ss::Shape shape{rows, width};
  for (const double channel : {0.0, 300.0}) {
    CAPTURE(channel);
    Numbers x = gaussian(rows * width, 1);
    // A channel of a transformer with large activations.
    for (std::size_t i = 3; i < x.size(); i += width) x[i] += channel;
    // Rows of exactly one size.
    x = rms_norm(x, width, 0);
    const Numbers bias = gaussian(width, 2);
    const ss::Tensor input = tensor(x, shape);
    const auto is_epsilon = [&](const Numbers& a, const Numbers& b) {
      return names(suspected(tensor(a, shape), tensor(b, shape), &input), "norm epsilon");
    };
    const Numbers norm = plus(rms_norm(x, width, 1e-6), bias);
    CHECK(is_epsilon(plus(rms_norm(x, width, 1e-2), bias), norm));
    Numbers other = rms_norm(x, width, 1e-6);
    const Numbers weight = gaussian(width, 3);
    for (std::size_t i = 0; i < other.size(); ++i) other[i] *= weight[i % width];
    CHECK(!is_epsilon(plus(other, bias), norm));
    CHECK(!is_epsilon(linear(x, width, 5), linear(x, width, 6)));
    // Nor is a function that leaves nearly nothing.
    CHECK(!is_epsilon(Numbers(x.size(), 1e-3), x));
  }
}

TEST_CASE("what one factor or one bias explains for the most part is another fault") {
  constexpr std::size_t width = 64;
  const ss::Shape shape{rows, width};
  const Numbers x = gaussian(rows * width, 1);
  const Numbers bias = gaussian(width, 2, 0.1);
  // 1 % of the squares is something else.
  const Numbers noise = gaussian(rows * width, 3, 0.01);
  const ss::Tensor b = tensor(x, shape);
  CHECK(!names(suspected(tensor(plus(plus(x, x, 0.1), noise), shape), b), "missing scale"));
  CHECK(!names(suspected(tensor(plus(plus(x, bias), noise), shape), b), "missing bias"));
  for (const ss::DType dtype : {ss::DType::F64, ss::DType::F32, ss::DType::F16, ss::DType::BF16}) {
    // Rounding to BF16 makes more than a thousandth of these.
    const ss::Tensor stored = tensor(x, shape, dtype);
    const auto found = suspected(tensor(plus(x, x, 0.02), shape, dtype), stored);
    CHECK(names(found, "missing scale"));
    CHECK(names(suspected(tensor(plus(x, bias, 0.3), shape, dtype), stored), "missing bias"));
  }
}

TEST_CASE("heads that are tiled in place of repeated are permuted heads, with their order") {
  constexpr std::size_t tokens = 10;
  constexpr std::size_t size = 8;
  struct Heads {
    std::size_t keys;
    std::size_t all;
    std::string order;
  };
  for (const Heads& heads : {Heads{2, 4, "0, 2, 1, 3"}, Heads{2, 8, "0, 4, 1, 5, 2, 6, 3, 7"},
                             Heads{4, 8, "0, 2, 4, 6, 1, 3, 5, 7"}}) {
    CAPTURE(heads.order);
    const Numbers own = gaussian(heads.keys * tokens * size, 1);
    for (const bool is_merged : {false, true}) {
      Numbers repeated(heads.all * tokens * size);
      Numbers tiled(repeated.size());
      for (std::size_t head = 0; head < heads.all; ++head)
        for (std::size_t token = 0; token < tokens; ++token)
          for (std::size_t i = 0; i < size; ++i) {
            const std::size_t place = is_merged ? (token * heads.all + head) * size + i
                                                : (head * tokens + token) * size + i;
            repeated[place] = own[(head * heads.keys / heads.all * tokens + token) * size + i];
            tiled[place] = own[(head % heads.keys * tokens + token) * size + i];
          }
      const ss::Shape shape = is_merged ? ss::Shape{1, tokens, heads.all * size}
                                        : ss::Shape{1, heads.all, tokens, size};
      const std::vector<ss::Suspicion> found =
          suspected(tensor(tiled, shape), tensor(repeated, shape));
      REQUIRE(found.size() == 1);
      CHECK(found[0].fault == "permuted heads");
      CHECK(found[0].evidence.ends_with(": the blocks of a are b's " + heads.order));
    }
  }
}

TEST_CASE("pairs are interleaved in rows of weights, and not in groups of channels") {
  const auto interleaved = [](const ss::Shape& shape, std::size_t dimension) {
    std::size_t inner = 1;
    for (std::size_t i = dimension + 1; i < shape.size(); ++i)
      inner *= static_cast<std::size_t>(shape[i]);
    const auto count = static_cast<std::size_t>(shape[dimension]);
    const Numbers b = gaussian(static_cast<std::size_t>(ss::element_count(shape)), 1);
    Numbers a(b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t index = i / inner % count;
      a[i] = b[i - index * inner + (index / 2 + index % 2 * (count / 2)) * inner];
    }
    return suspected(tensor(a, shape), tensor(b, shape));
  };
  for (const auto& [shape, dimension] :
       {std::pair{ss::Shape{16, 24}, 0U}, {ss::Shape{16, 24}, 1U}, {ss::Shape{2, 5, 16}, 2U}}) {
    const std::vector<ss::Suspicion> found = interleaved(shape, dimension);
    REQUIRE(!found.empty());
    CHECK(found[0].fault == "RoPE interleaving");
  }
  for (const auto& [shape, dimension] :
       {std::pair{ss::Shape{2, 8, 5, 5}, 1U}, {ss::Shape{8, 5, 16}, 0U}}) {
    const std::vector<ss::Suspicion> found = interleaved(shape, dimension);
    CHECK(names(found, "permuted heads"));
    CHECK(!names(found, "RoPE interleaving"));
  }
}

TEST_CASE("rows of one norm whose first is equal were turned where groups of pairs kept theirs") {
  constexpr std::size_t width = 16;
  const ss::Shape shape{2, rows / 2, width};
  const Numbers x = gaussian(rows * width, 1);
  // A norm behind attention: the first token sees itself alone.
  Numbers other = gaussian(rows * width, 2);
  Numbers turned = x;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t at = i * width + j;
      const std::size_t token = i % (rows / 2);
      if (token == 0) other[at] = x[at];
      const double power = -2 * static_cast<double>(j % 8) / static_cast<double>(width);
      const double angle = static_cast<double>(token) * std::pow(500, power);
      turned[at] = j < 8 ? x[at] * std::cos(angle) - x[at + 8] * std::sin(angle)
                         : x[at - 8] * std::sin(angle) + x[at] * std::cos(angle);
    }
  const auto norm = [&](const Numbers& of) {
    Numbers made = rms_norm(of, width, 1e-6);
    const Numbers weight = rms_norm(Numbers(width, 1), width, 0);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] /= weight[i % width];
    return tensor(made, shape);
  };
  CHECK(!names(suspected(norm(other), norm(x)), "RoPE interleaving"));
  CHECK(names(suspected(norm(turned), norm(x)), "RoPE interleaving"));
}
