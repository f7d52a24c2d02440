/// \file
/// Two tensors that are looked at for faults, whatever they are: without harm, and without a trace
/// of those before them.
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/suspicions/suspicion.hpp"

namespace ss = safestructures;

TEST_CASE("tensors of every dtype and shape are looked at without harm") {
  std::mt19937_64 random(9);
  ss::comparing::Case one;
  for (const ss::DType dtype : {ss::DType::F64, ss::DType::F32, ss::DType::BF16, ss::DType::I64,
                                ss::DType::U8, ss::DType::BOOL, ss::DType::C64, ss::DType::F4})
    for (const ss::Shape& of :
         {ss::Shape{}, ss::Shape{1}, ss::Shape{8}, ss::Shape{2, 4}, ss::Shape{1, 1, 1, 8},
          ss::Shape{3, 0, 8}, ss::Shape{7, 1, 8}, ss::Shape{2, 2, 2, 2, 2, 8}}) {
      CAPTURE(ss::to_string(dtype));
      CAPTURE(ss::to_string(of));
      if (dtype == ss::DType::F4 && (of.size() == 0 || of[of.size() - 1] != 8)) continue;
      const auto make = [&] {
        const ss::Tensor made = ss::Tensor::allocate(dtype, of);
        std::vector<std::byte> bytes(made.byte_size());
        for (std::byte& byte : bytes)
          byte = static_cast<std::byte>(dtype == ss::DType::BOOL ? random() % 2 : random() % 256);
        return ss::Tensor::borrow(dtype, of, bytes).clone();
      };
      const ss::Tensor a = make();
      const ss::Tensor b = make();
      const ss::Tensor input = make();
      if (!one.take(a, b, &input, ss::comparing::IndexGrid(of))) continue;
      for (const ss::Suspicion& suspicion : ss::comparing::suspect(one)) {
        CHECK(!suspicion.fault.empty());
        if (suspicion.explained) CHECK(*suspicion.explained >= 0.8);
      }
    }
}

TEST_CASE("a case keeps nothing of the one before") {
  const auto four = [](std::vector<float> numbers) {
    return ss::Tensor::own(std::move(numbers), {2, 2});
  };
  const ss::Tensor a = four({NAN, 2, 3, 4});
  const ss::Tensor b = four({1, 2, 3, 5});
  ss::comparing::Case one;
  REQUIRE(one.take(a, b, &b, ss::comparing::IndexGrid(a.shape())));
  one.permutation = {1, 0};
  CHECK(one.nan_a == std::vector<bool>{true, false, false, false});
  CHECK(one.has_like_input());
  REQUIRE(one.take(b, four({1, 2, 3, 4}), nullptr, ss::comparing::IndexGrid(b.shape())));
  CHECK(one.nan_a.empty());
  CHECK(one.permutation.empty());
  CHECK(one.input.empty());
  CHECK_FALSE(one.has_like_input());
  CHECK(one.all.errors == 1);
  CHECK(one.all.squares == 30);
}
