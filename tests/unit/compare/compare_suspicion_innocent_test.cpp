/// \file
/// What is no usual fault is not suspected of one.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/attributes.hpp>
#include <safestructures/safestructures.hpp>
#include "support/gaussian.hpp"
#include "support/suspected.hpp"

namespace {

namespace ss = safestructures;
using ss::test::names;

std::vector<ss::Suspicion> suspicions(const ss::Tensor& a, const ss::Tensor& b) {
  const ss::Comparison found =
      ss::compare(ss::Value::dict({{"x", a}}), ss::Value::dict({{"x", b}}), {.rtol = 0, .atol = 0});
  REQUIRE(found.rows.size() == 1);
  CHECK(!found.is_equal());
  return found.rows.at(0).suspicions;
}

ss::Tensor tensor(std::vector<double> numbers, double factor = 1) {
  for (double& number : numbers) number *= factor;
  return ss::Tensor::own(std::move(numbers)).to(ss::DType::F32);
}

}  // namespace

TEST_CASE("unrelated numbers are not taken for multiples of each other") {
  const std::vector<double> one = ss::test::gaussian<double>(256, 1);
  for (unsigned seed = 2; seed < 12; ++seed) {
    const std::vector<double> other = ss::test::gaussian<double>(256, seed);
    for (const double ratio : {0.01, 0.5, 1.0, 3.0, 4.0, 100.0})
      CHECK(!names(suspicions(tensor(one), tensor(other, ratio)), "missing scale"));
  }
  for (const double factor : {1e-3, 0.125, 3.0, -1.0, 1000.0})
    CHECK(names(suspicions(tensor(one, factor), tensor(one)), "missing scale"));
}

TEST_CASE("a factor has its digits, however small or large") {
  const std::vector<double> one = ss::test::gaussian<double>(256, 1);
  for (const auto& factor :
       std::vector<std::pair<double, std::string>>{{1e-60, "1e-60"},
                                                   {1.23456e-20, "1.23456e-20"},
                                                   {3e-15, "3e-15"},
                                                   {-2.5e-12, "-2.5e-12"},
                                                   {0.999, "0.999"},
                                                   {1 - 3e-8, "1 - 3e-08"},
                                                   {1 + 2.5e-5, "1 + 2.5e-05"},
                                                   {1e60, "1e+60"}}) {
    CAPTURE(factor.second);
    std::vector<double> other = one;
    for (double& number : other) number *= factor.first;
    const std::vector<ss::Suspicion> found =
        suspicions(ss::Tensor::own(std::move(other)), ss::Tensor::own(std::vector<double>(one)));
    REQUIRE(names(found, "missing scale"));
    CHECK(found.front().evidence.starts_with("a is b times " + factor.second));
  }
}

TEST_CASE("one large number is not taken for a factor of all") {
  for (const std::size_t count : {4U, 16U, 256U}) {
    CAPTURE(count);
    std::vector<double> one = ss::test::gaussian<double>(count, 1);
    one[2] = 3000;
    std::vector<double> other = one;
    other[2] *= 1.1;
    CHECK(suspicions(tensor(other), tensor(one)).empty());
    CHECK(names(suspicions(tensor(one, 1.1), tensor(one)), "missing scale"));
    // Nor is one among zeros.
    std::vector<double> lone(count);
    lone[2] = 3;
    CHECK(suspicions(tensor(lone, 1.1), tensor(lone)).empty());
  }
  const std::vector<double> four = {1, 0, 2, 3, 0, 0, 0, 4};
  CHECK(names(suspicions(tensor(four, 1.1), tensor(four)), "missing scale"));
}

TEST_CASE("numbers that vanish beside a large one in each row are not taken for multiples") {
  constexpr std::size_t rows = 16, width = 32;
  std::vector<double> logits = ss::test::gaussian<double>(rows * width, 1);
  std::vector<double> softmax(logits.size());
  for (std::size_t row = 0; row < logits.size(); row += width) {
    logits[row] += 30;
    for (std::size_t j = 0; j < width; ++j)
      softmax[row + j] = std::exp(logits[row + j] - logits[row]);
  }
  for (const ss::Suspicion& one : suspicions(tensor(softmax), tensor(logits)))
    CHECK(one.fault != "missing scale");
}

TEST_CASE("one large number of each row is not taken for factors of the rows") {
  constexpr std::size_t rows = 16, width = 32;
  const auto matrix = [](const std::vector<double>& numbers) {
    return tensor(numbers).reshape({rows, width});
  };
  std::vector<double> one = ss::test::gaussian<double>(rows * width, 1);
  // A channel of a transformer with large activations.
  for (std::size_t i = 3; i < one.size(); i += width) one[i] += 300;
  std::vector<double> channel = one;
  std::vector<double> all = one;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double factor = 1.01 + 0.02 * static_cast<double>(i / width);
    all[i] *= factor;
    if (i % width == 3) channel[i] *= factor;
  }
  CHECK(!names(suspicions(matrix(channel), matrix(one)), "norm epsilon"));
  CHECK(names(suspicions(matrix(all), matrix(one)), "norm epsilon"));
}

TEST_CASE("a few numbers that differ are not taken for factors of rows and columns") {
  constexpr std::size_t rows = 16, width = 32;
  // Rows of about one size, as a norm's output has them.
  std::vector<double> input(rows * width);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = i * 7 % 5 < 3 ? 1 : -1;
  const std::vector<double> one = ss::test::gaussian<double>(rows * width, 2);
  std::vector<double> other = one;
  for (const std::size_t row : {2U, 7U, 11U}) other[row * width + 5] += input[row * width + 5];
  const auto matrix = [](const std::vector<double>& numbers) {
    return tensor(numbers).reshape({rows, width});
  };
  const ss::Tensor x = matrix(input);
  CHECK(!names(ss::test::suspected(matrix(other), matrix(one), &x), "norm epsilon"));
}

TEST_CASE("a large number at one end is not taken for a position offset") {
  // The first token of a transformer often has one, an attention sink.
  constexpr std::size_t tokens = 16, width = 32;
  const std::vector<double> one = ss::test::gaussian<double>(tokens * width, 1);
  const ss::Tensor unrelated =
      tensor(ss::test::gaussian<double>(tokens * width, 2)).reshape({tokens, width});
  for (const std::size_t place : {std::size_t{3}, (tokens - 1) * width + 3}) {
    CAPTURE(place);
    std::vector<double> large = one;
    large[place] = 3000;
    const ss::Tensor of_large = tensor(large).reshape({tokens, width});
    const ss::Tensor without = tensor(one).reshape({tokens, width});
    for (const ss::Tensor& other : {without, unrelated}) {
      CHECK(!names(suspicions(other, of_large), "position offset"));
      CHECK(!names(suspicions(of_large, other), "position offset"));
    }
    // Beside it, an offset is still found.
    std::vector<double> later = large;
    for (std::size_t i = width; i < later.size(); ++i) later[i] = large[i - width];
    CHECK(names(suspicions(tensor(later).reshape({tokens, width}), of_large), "position offset"));
  }
}

TEST_CASE("rows with a large number each, of which the first is equal, are not taken for turned") {
  constexpr std::size_t tokens = 16, width = 32;
  // As in a causal model, whose output for the first token is equal.
  const auto activations = [&](unsigned seed) {
    std::vector<double> numbers = ss::test::gaussian<double>(tokens * width, seed);
    const std::vector<double> first = ss::test::gaussian<double>(width, 1);
    std::copy(first.begin(), first.end(), numbers.begin());
    for (std::size_t i = 3; i < numbers.size(); i += width) numbers[i] = 3000;
    return tensor(numbers).reshape({tokens, width});
  };
  CHECK(!names(suspicions(activations(2), activations(3)), "RoPE interleaving"));
}

TEST_CASE("numbers whose fourth powers overflow are not taken for a transposed weight") {
  const auto matrix = [](unsigned seed) {
    return ss::Tensor::own(ss::test::gaussian<double>(64, seed, 1e100), {8, 8});
  };
  const ss::Tensor x = matrix(3);
  CHECK(ss::test::suspected(matrix(1), matrix(2), &x).empty());
}

TEST_CASE("a few numbers in one row are not taken for padding") {
  const std::vector<double> one = ss::test::gaussian<double>(16 * 4, 1);
  for (std::size_t count = 1; count <= 4; ++count) {
    CAPTURE(count);
    std::vector<double> other = one;
    for (std::size_t i = 0; i < count; ++i) other[i] += 1;
    CHECK(names(suspicions(tensor(other).reshape({16, 4}), tensor(one).reshape({16, 4})),
                "padding") == (count == 4));
  }
}

TEST_CASE("errors that grow from one index to the next are not taken for padding or a mask") {
  constexpr std::size_t length = 2048, width = 8;
  const std::vector<double> one = ss::test::gaussian<double>(length * width, 1);
  const std::vector<double> noise = ss::test::gaussian<double>(length * width, 2, 1e-3);
  for (const bool is_reversed : {false, true}) {
    // As of angles that are a little off: at first there is no error, then a small one.
    std::vector<double> other = one;
    for (std::size_t i = 0; i < other.size(); ++i)
      other[i] += noise[i] * static_cast<double>(is_reversed ? length - 1 - i / width : i / width);
    const auto matrix = [](const std::vector<double>& numbers) {
      return tensor(numbers).reshape({length, width});
    };
    const std::vector<ss::Suspicion> found = suspicions(matrix(other), matrix(one));
    CHECK(!names(found, "padding"));
    CHECK(!names(found, "mask off by one"));
  }
}

TEST_CASE("numbers of one size that differ by as much as two GELUs are not taken for these") {
  std::vector<double> one = ss::test::gaussian<double>(64, 1, 0.005);
  for (double& number : one) number += 1.1742;
  std::vector<double> other = one;
  // GELU by tanh less GELU by erf, of 1.3.
  for (double& number : other) number -= 2.3036e-4;
  CHECK(!names(suspicions(tensor(other), tensor(one)), "GELU variant"));
}

TEST_CASE("rows that are nearly the same are not taken for turned ones") {
  constexpr std::size_t rows = 16, width = 4;
  for (const double noise : {0.5, 0.05}) {
    CAPTURE(noise);
    std::vector<double> one = ss::test::gaussian<double>(rows * width, 1, noise);
    std::vector<double> other;
    for (std::size_t i = 0; i < one.size(); ++i) {
      one[i] += i % width < 2 ? -30 : 20;
      other.push_back(i % width < 2 ? -one[i] : one[i]);
    }
    const auto found =
        suspicions(tensor(other).reshape({rows, width}), tensor(one).reshape({rows, width}));
    CHECK(!names(found, "position offset"));
  }
}

TEST_CASE("small integers are not taken for numbers of a smaller dtype") {
  std::vector<std::int64_t> one, other;
  for (std::int64_t i = 0; i < 64; ++i) {
    one.push_back(i * 37 % 201);
    other.push_back(i * 12'347 % 50'021 + 257);
  }
  const ss::Tensor small = ss::Tensor::own(std::move(one));
  const ss::Tensor large = ss::Tensor::own(std::move(other));
  // Nor if floats hold them; what has fractions, or is larger, was rounded.
  const ss::Tensor noise = ss::Tensor::own(ss::test::gaussian<double>(64, 1)).to(ss::DType::F32);
  CHECK(suspicions(small.to(ss::DType::F32), noise).empty());
  CHECK(suspicions(noise, small.to(ss::DType::F32)).empty());
  for (const double size : {1.0, 1e4}) {
    std::vector<double> wide = ss::test::gaussian<double>(64, 1, size);
    for (double& number : wide) number += size;
    const ss::Tensor exact = tensor(wide);
    CHECK(names(suspicions(exact.to(ss::DType::BF16).to(ss::DType::F32), exact),
                "accumulation dtype"));
  }
  for (const ss::DType dtype : {ss::DType::I64, ss::DType::I32}) {
    CHECK(suspicions(small.to(dtype), large.to(dtype)).empty());
    CHECK(suspicions(large.to(dtype), small.to(dtype)).empty());
    CHECK(suspicions(small.to(dtype), large.to(ss::DType::F32)).empty());
  }
}

TEST_CASE("what a file notes as the dtype before it was stored says by itself how it was rounded") {
  const ss::Tensor exact = tensor(ss::test::gaussian<double>(512, 1));
  const auto of = [&](const ss::Tensor& x, ss::DType noted) {
    ss::Value value(x);
    value.set_attribute(ss::attributes::dtype, ss::to_string(noted));
    return ss::Value::dict({{"x", value}});
  };
  for (const ss::DType dtype : {ss::DType::F16, ss::DType::BF16}) {
    const ss::Tensor rounded = exact.to(dtype).to(ss::DType::F32);
    const auto found = [&](const ss::Value& a) {
      return ss::compare(a, of(exact, ss::DType::F32), {.rtol = 0, .atol = 0})
          .rows.at(0)
          .suspicions;
    };
    CHECK(found(of(rounded, dtype)).empty());
    CHECK(names(found(of(rounded, ss::DType::F32)), "accumulation dtype"));
    // What that rounding leaves does not hide a factor.
    const ss::Tensor scaled =
        tensor(exact.to_vector<double>(), dtype == ss::DType::F16 ? 1.005 : 1.04)
            .to(dtype)
            .to(ss::DType::F32);
    CHECK(names(found(of(scaled, dtype)), "missing scale"));
    CHECK(!names(found(of(scaled, ss::DType::F32)), "missing scale"));
  }
}

TEST_CASE("rounding is to the dtype whose numbers all of them are") {
  for (const double size : {1.0, 1e6}) {
    CAPTURE(size);
    const ss::Tensor exact = tensor(ss::test::gaussian<double>(512, 1), size);
    const auto evidence = [&](const ss::Tensor& rounded) {
      std::string text;
      for (const ss::Suspicion& one : suspicions(rounded, exact))
        if (one.fault == "accumulation dtype") text = one.evidence;
      return text;
    };
    const std::string bf16 = evidence(exact.to(ss::DType::BF16).to(ss::DType::F32));
    CHECK(bf16.starts_with("all numbers of a are BF16 numbers"));
    CHECK(bf16.ends_with("rounded once"));
    if (size > 65504) continue;
    const std::string f16 = evidence(exact.to(ss::DType::F16).to(ss::DType::F32));
    CHECK(f16.starts_with("all numbers of a are F16 numbers"));
    CHECK(f16.ends_with("rounded once"));
    // What is stored so says it by itself.
    CHECK(evidence(exact.to(ss::DType::F16)).empty());
  }
  CHECK(suspicions(tensor(ss::test::gaussian<double>(512, 1)).to(ss::DType::BF16),
                   tensor(ss::test::gaussian<double>(512, 2)))
            .empty());
}

TEST_CASE("heads are looked for in 64 blocks at most, along 65,536 indices at most") {
  // Blocks in the opposite order, which fewer blocks do not explain.
  const auto suspects = [](std::size_t blocks, std::size_t length, std::size_t rows) {
    const std::size_t width = blocks * length;
    const std::vector<double> b = ss::test::gaussian<double>(rows * width, 1);
    std::vector<double> a(b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t column = i % width;
      a[i] = b[i - column + (blocks - 1 - column / length) * length + column % length];
    }
    const ss::Shape shape{rows, width};
    return names(suspicions(tensor(a).reshape(shape), tensor(b).reshape(shape)), "permuted heads");
  };
  CHECK(suspects(64, 2, 8));
  CHECK(!suspects(65, 2, 8));
  CHECK(suspects(2, 32'768, 1));
  CHECK(!suspects(2, 32'769, 1));
}
