/// \file
/// Tensors whose dimensions stand in another order: those are named, and no others.
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "support/gaussian.hpp"
#include "support/memory_source.hpp"

namespace {

namespace ss = safestructures;
using Order = std::vector<std::size_t>;

ss::ComparisonRow row_of(const ss::Tensor& a, const ss::Tensor& b) {
  const ss::Comparison found =
      ss::compare(ss::Value::dict({{"x", a}}), ss::Value::dict({{"x", b}}));
  REQUIRE(found.rows.size() == 1);
  CHECK(!found.is_equal());
  return found.rows.at(0);
}

template <class T>
ss::Tensor tensor(std::vector<T> numbers, ss::Shape shape) {
  return ss::Tensor::own(std::move(numbers), std::move(shape));
}

/// Ones but for some places.
ss::Tensor ones_but(ss::Shape shape, const std::vector<std::pair<std::size_t, float>>& others) {
  std::size_t size = 1;
  for (const std::uint64_t dimension : shape) size *= static_cast<std::size_t>(dimension);
  std::vector<float> numbers(size, 1);
  for (const auto& [place, number] : others) numbers[place] = number;
  return tensor(std::move(numbers), std::move(shape));
}

std::vector<float> near_one(std::size_t count, unsigned seed) {
  std::vector<float> numbers = ss::test::gaussian<float>(count, seed, 0.02);
  for (float& number : numbers) ++number;
  return numbers;
}

}  // namespace

TEST_CASE("tensors that are alike in any order are not called permuted") {
  constexpr std::size_t side = 64;
  // One element is another; the others are nearly symmetric.
  CHECK(row_of(ones_but({side, side}, {}), ones_but({side, side}, {{3 * side + 40, 2.0F}}))
            .permutation.empty());
  std::vector<std::pair<std::size_t, float>> masked;
  for (std::size_t i = 0; i < 9; ++i) masked.emplace_back(i * 409 + 7, 0.0F);
  const ss::Tensor mask = ones_but({side, side}, masked);
  masked.emplace_back(5 * side + 60, 0.0F);
  const ss::ComparisonRow row = row_of(mask, ones_but({side, side}, masked));
  CHECK(row.permutation.empty());
  CHECK(row.suspicions.empty());
  // Numbers that are near each other, as of a norm's weights.
  CHECK(row_of(tensor(near_one(64 * 64, 1), {64, 64}), tensor(near_one(64 * 64, 2), {64, 64}))
            .permutation.empty());
  CHECK(row_of(tensor(near_one(64 * 32, 1), {64, 32}), tensor(near_one(64 * 32, 2), {32, 64}))
            .permutation.empty());
  CHECK(row_of(ones_but({64, 32}, {}), ones_but({32, 64}, {})).permutation.empty());
  // Nor are those in which there are no numbers.
  const auto none = [](ss::Shape shape) {
    return tensor(std::vector<float>(2048, std::numeric_limits<float>::quiet_NaN()),
                  std::move(shape));
  };
  CHECK(row_of(none({64, 32}), none({32, 64})).permutation.empty());
  CHECK(row_of(ones_but({64, 32}, {}), none({32, 64})).permutation.empty());
}

TEST_CASE("if a sample does not distinguish orders, the exact one is named") {
  const ss::Tensor a = ones_but({10, 10, 10}, {{123, 5}, {719, 4}, {345, 3}, {876, 2}});
  for (const Order& order : {Order{2, 1, 0}, Order{1, 2, 0}, Order{0, 2, 1}}) {
    const ss::ComparisonRow row = row_of(a, a.permute(order).clone());
    CHECK(row.permutation == order);
    CHECK(row.detail.ends_with(", exactly"));
    // Activations have it as weights do.
    REQUIRE(row.suspicions.size() == 1);
    CHECK(row.suspicions[0].fault == "transposed tensor");
  }
}

TEST_CASE("sparse, complex and noisy tensors are recognised in another order") {
  std::vector<float> sparse(300 * 100);
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) sparse[random() % sparse.size()] = static_cast<float>(i + 1);
  const ss::Tensor a = tensor(sparse, {300, 100});
  CHECK(row_of(a, a.permute(Order{1, 0}).clone()).permutation == Order{1, 0});

  std::vector<std::complex<float>> numbers(15);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = {static_cast<float>(i), static_cast<float>(i * i % 7)};
  const ss::Tensor complex = tensor(numbers, {3, 5});
  CHECK(row_of(complex, complex.permute(Order{1, 0}).clone()).permutation == Order{1, 0});

  const ss::Tensor first = tensor(ss::test::gaussian<float>(1200, 1, 1), {40, 30});
  std::vector<float> noisy = first.permute(Order{1, 0}).to_vector<float>();
  const std::vector<float> noise = ss::test::gaussian<float>(1200, 2, 1e-3);
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] += noise[i];
  const ss::ComparisonRow row = row_of(first, tensor(noisy, {30, 40}));
  CHECK(row.permutation == Order{1, 0});
  CHECK(row.detail.find(", to a relative L2 of ") != std::string::npos);
}

TEST_CASE("another order is exact only where both sides are finite, if NaN are at other places") {
  std::vector<float> numbers = ss::test::gaussian<float>(12, 1);
  const ss::Tensor b = tensor(numbers, {3, 4}).permute(Order{1, 0}).clone();
  numbers[5] = std::numeric_limits<float>::quiet_NaN();
  const ss::Tensor a = tensor(numbers, {3, 4});
  CHECK(row_of(a, b).detail ==
        "[3, 4] and [4, 3]; b is a permuted by [1, 0], exactly where both are finite");
  CHECK(row_of(a, a.permute(Order{1, 0}).clone()).detail ==
        "[3, 4] and [4, 3]; b is a permuted by [1, 0], exactly");
}

TEST_CASE("dimensions of size 1 that change places are no other order, even if a sample is equal") {
  // Above 64 MiB, so that only a sample is permuted.
  const ss::Shape shape{1, 1, 4096, 4100};
  const auto make = [&](float number) {
    std::vector<float> numbers(static_cast<std::size_t>(ss::element_count(shape)));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1009);
    numbers[12'345'678] = number;
    const auto bytes = std::as_bytes(std::span(numbers));
    auto source = std::make_shared<const ss::test::MemorySource>(
        "far", std::vector<std::byte>(bytes.begin(), bytes.end()));
    return ss::Tensor::deferred(ss::DType::F32, shape, std::move(source), 0, "x");
  };
  const ss::ComparisonRow row = row_of(make(1e6F), make(2e6F));
  CHECK(row.metrics->beyond == 1);
  CHECK(row.detail.empty());
  CHECK(row.suspicions.empty());
  // In other shapes they are.
  const ss::Tensor line = tensor(ss::test::gaussian<float>(8, 1), {1, 8});
  CHECK(row_of(line, line.permute(Order{1, 0}).clone()).permutation == Order{1, 0});
}

TEST_CASE("another order of the dimensions is tried for two to five of them") {
  const auto is_found = [](const ss::Shape& shape) {
    std::size_t size = 1;
    for (const std::uint64_t dimension : shape) size *= static_cast<std::size_t>(dimension);
    const ss::Tensor a = tensor(ss::test::gaussian<float>(size, 1, 1), shape);
    Order order(shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
    return row_of(a, a.permute(order).clone()).permutation == order;
  };
  CHECK(is_found({2, 3}));
  CHECK(is_found({2, 3, 4, 5, 6}));
  CHECK(!is_found({2, 3, 4, 5, 6, 7}));
}
