/// \file
/// Which numbers of a large tensor are looked at for the usual faults.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "compare/suspicions/suspicion.hpp"
#include "compare/suspicions/suspicion_grid.hpp"
#include "support/gaussian.hpp"

namespace {

namespace ss = safestructures;
using ss::comparing::IndexGrid;
using Numbers = std::vector<float>;

/// The numbers of a grid by their index in the tensor, from the indices alone.
std::vector<std::uint64_t> numbers_of(const IndexGrid& grid) {
  std::vector<std::uint64_t> numbers{0};
  for (const IndexGrid::Indices& dimension : grid.dimensions()) {
    std::vector<std::uint64_t> more;
    for (const std::uint64_t number : numbers)
      for (std::size_t i = 0; i < dimension.count; ++i)
        more.push_back(number * dimension.size + dimension.at(i));
    numbers = std::move(more);
  }
  return numbers;
}

std::vector<std::uint64_t> numbers_in_runs(const IndexGrid& grid) {
  std::vector<std::uint64_t> numbers;
  grid.for_each_run([&](std::size_t begin, std::uint64_t index, std::size_t count) {
    REQUIRE(begin == numbers.size());
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(index + i);
  });
  return numbers;
}

}  // namespace

TEST_CASE("a tensor of which all is read as soon is looked at as a whole, in one run") {
  for (const ss::Shape& shape :
       {ss::Shape{}, ss::Shape{1}, ss::Shape{65'536}, ss::Shape{64, 1024}, ss::Shape{2, 1, 3, 5}}) {
    const std::vector<IndexGrid> grids = ss::comparing::grids_of(shape, 0);
    REQUIRE(grids.size() == 1);
    CHECK(grids[0].is_whole());
    std::vector<std::uint64_t> all(grids[0].size());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    CHECK(numbers_in_runs(grids[0]) == all);
  }
}

TEST_CASE("of a larger tensor, each dimension is complete in one of its grids") {
  const auto counts = [](const ss::Shape& shape) {
    std::vector<std::vector<std::size_t>> found;
    for (const IndexGrid& grid : ss::comparing::grids_of(shape, 0)) found.push_back(grid.shape());
    return found;
  };
  using Counts = std::vector<std::vector<std::size_t>>;
  CHECK(counts({2048, 2048}) == Counts{{32, 2048}, {2048, 32}});
  CHECK(counts({32, 128, 1024}) == Counts{{1, 64, 1024}, {8, 128, 64}, {32, 32, 64}});
  // A dimension of one index has no pattern.
  CHECK(counts({1, 512, 1024}) == Counts{{1, 64, 1024}, {1, 512, 64}});
  // One that is too long is thinned out; of its rows there are a few at least.
  CHECK(counts({1U << 22U}) == Counts{{1U << 16U}});
  CHECK(counts({1U << 20U, 4}) == Counts{{1U << 14U, 4}});
  CHECK(counts({64, 1U << 17U}) == Counts{{8, 1U << 17U}, {64, 64}});
  CHECK(counts({1U << 18U, 1U << 18U}) == Counts{{1, 1U << 16U}});
}

TEST_CASE("a grid's numbers are those of its indices, the worst among them") {
  const auto seed = static_cast<unsigned>(std::random_device()());
  MESSAGE("seed ", seed);
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 60; ++turn) {
    std::vector<std::uint64_t> sizes;
    std::uint64_t size = 1;
    const std::uint64_t rank = 1 + random() % 5;
    while (sizes.size() < rank || size <= ss::comparing::usual_in_grid) {
      if (sizes.size() < rank) sizes.push_back(1 + random() % 90);
      else sizes[random() % rank] *= 1 + random() % 9;
      size = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>());
    }
    const ss::Shape shape{std::span<const std::uint64_t>(sizes)};
    CAPTURE(ss::to_string(shape));
    const std::uint64_t worst = random() % size;
    CAPTURE(worst);
    for (const IndexGrid& grid : ss::comparing::grids_of(shape, worst)) {
      CHECK(grid.whole_size() == size);
      CHECK(grid.size() <= 8 * ss::comparing::most_in_dimension);
      const std::vector<std::uint64_t> numbers = numbers_of(grid);
      CHECK(numbers_in_runs(grid) == numbers);
      CHECK(std::ranges::is_sorted(numbers));
      CHECK(numbers.back() < size);
      CHECK(std::ranges::binary_search(numbers, worst));
    }
  }
}

TEST_CASE("large tensors are looked at along each dimension, in some of their numbers") {
  struct Large {
    std::string expected;
    std::string evidence;
    ss::Shape of;
    std::function<void(Numbers&, const Numbers&)> make;
  };
  const auto numbers_of = [](const ss::Shape& of) {
    std::size_t size = 1;
    for (const std::uint64_t one : of) size *= static_cast<std::size_t>(one);
    return size;
  };
  constexpr std::size_t texts = 16;
  constexpr std::size_t tokens = 96;
  constexpr std::size_t columns = 512;
  const ss::Shape batch_of{texts, tokens, columns};
  const auto token_of = [](std::size_t i) { return i / columns % tokens; };
  const auto move_heads = [](std::size_t inner, std::size_t heads) {
    return [=](Numbers& a, const Numbers& b) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t of = i / inner % heads;
        a[i] = b[i - of * inner + (heads - 1 - of) * inner];
      }
    };
  };
  const std::vector<Large> all = {
      {"missing scale", "a is b times 2, the square root of 4, in 49152 of 786432 numbers",
       batch_of,
       [](Numbers& a, const Numbers&) {
         for (float& number : a) number *= 2;
       }},
      {"missing bias", "a - b is the same in all 96 rows, its norm 11.3", batch_of,
       [](Numbers& a, const Numbers&) {
         for (std::size_t i = 0; i < a.size(); ++i) a[i] += i % 2 == 0 ? 0.5F : -0.5F;
       }},
      {"permuted heads",
       "dimension 2 in 8 blocks of 64: the blocks of a are b's 7, 6, 5, 4, 3, 2, 1, 0", batch_of,
       move_heads(64, 8)},
      {"reversed order",
       "dimension 0 in 8 blocks of 1: the blocks of a are b's 7, 6, 5, 4, 3, 2, 1, 0",
       {8, 1024, 256},
       move_heads(1024 * 256, 8)},
      {"position offset", "a at index i of dimension 1 equals b at i + 1", batch_of,
       [&](Numbers& a, const Numbers& b) {
         for (std::size_t i = 0; i < a.size(); ++i)
           if (token_of(i) + 1 < tokens) a[i] = b[i + columns];
       }},
      {"padding", "only the last 10 of 96 indices of dimension 1 differ", batch_of,
       [&](Numbers& a, const Numbers&) {
         for (std::size_t i = 0; i < a.size(); ++i)
           if (token_of(i) >= 86 && i / columns / tokens == 2) a[i] = 0;
       }},
      {"padding", "only 1 of 16 in the batch (dimension 0) differ", batch_of,
       [](Numbers& a, const Numbers& b) {
         for (std::size_t i = 0; i < a.size(); ++i)
           if (i / columns / tokens == 1) a[i] += 0.1F * b[b.size() - 1 - i];
       }},
      {"padding",
       "only 1 of 32 in the batch (dimension 0) differ",
       {32, tokens, columns},
       [](Numbers& a, const Numbers& b) {
         for (std::size_t i = 0; i < a.size(); ++i)
           if (i / columns / tokens == 5) a[i] += 0.1F * b[b.size() - 1 - i];
       }},
      {"mask off by one", "only the last of 96 indices of dimension 1 is equal", batch_of,
       [&](Numbers& a, const Numbers& b) {
         for (std::size_t i = 0; i < a.size(); ++i)
           if (token_of(i) + 1 < tokens) a[i] += 0.1F * b[b.size() - 1 - i];
       }},
      {"mask off by one",
       "a lets through what b masks, in 255 places, all where the last index is the one before it "
       "+1",
       {8, 4, 256, 256},
       [](Numbers& a, const Numbers& b) {
         // What b masks above its diagonal, a masks one further on.
         for (std::size_t i = 0; i < a.size(); ++i)
           a[i] = i % 256 == i / 256 % 256 + 1 ? 1 + std::abs(b[i]) : b[i];
       }},
      {"accumulation dtype", "all numbers of a are F16 numbers", batch_of,
       [](Numbers& a, const Numbers&) {
         for (float& number : a) number = static_cast<float>(static_cast<ss::half>(number));
       }}};
  for (const Large& one : all) {
    Numbers b = ss::test::gaussian<float>(numbers_of(one.of), 11);
    if (one.of.size() == 4)
      for (std::size_t i = 0; i < b.size(); ++i)
        if (i % 256 > i / 256 % 256) b[i] = 0;
    Numbers a = b;
    one.make(a, b);
    const ss::Comparison found =
        ss::compare(ss::Tensor::own(std::move(a), ss::Shape(one.of)),
                    ss::Tensor::own(Numbers(b), ss::Shape(one.of)), {.rtol = 0, .atol = 0});
    REQUIRE(found.rows.size() == 1);
    CAPTURE(one.evidence);
    REQUIRE(!found.rows[0].suspicions.empty());
    const ss::Suspicion& first = found.rows[0].suspicions.front();
    CAPTURE(first.evidence);
    CHECK(first.fault == one.expected);
    CHECK(first.evidence.starts_with(one.evidence));
    CHECK(first.evidence.find(" of " + std::to_string(b.size()) + " numbers") != std::string::npos);
  }
}

TEST_CASE("tensors that are not examined for faults are reported") {
  const auto many = [](std::size_t count, std::size_t size, float number) {
    std::vector<ss::Value> items;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> numbers(size, number);
      numbers[1] = 1;
      items.emplace_back(ss::Tensor::own(std::move(numbers)));
    }
    return ss::Value::list(std::move(items));
  };
  const std::size_t most = ss::comparing::most_suspicious_rows;
  CHECK(ss::compare(many(most + 2, 4, 2), many(most + 2, 4, 3)).notes ==
        std::vector<std::string>{"further tensors not looked at for the usual faults: 2"});
  // The least, which is more than a share of all, is of eight of these.
  constexpr std::size_t size = 98'176;
  CHECK(8 * IndexGrid(ss::Shape{size}).cost() == ss::comparing::least_suspected);
  const ss::Comparison found = ss::compare(many(9, size, 2), many(9, size, 3));
  CHECK(found.notes ==
        std::vector<std::string>{"further tensors not looked at for the usual faults: 1"});
  CHECK(!found.rows.at(7).suspicions.empty());
  CHECK(found.rows.at(8).suspicions.empty());
}

TEST_CASE("the most suspicious tensor is looked at along all dimensions, others along some") {
  constexpr std::size_t columns = 2048;
  const ss::Shape of{columns, columns};
  const auto shifted = [&](unsigned seed, std::size_t rows) {
    const Numbers all = ss::test::gaussian<float>(columns * (columns + 1), seed);
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(rows * columns);
    return ss::Tensor::own(Numbers(from, from + columns * columns), ss::Shape(of));
  };
  const auto four = [&](std::size_t rows) {
    return ss::Value::list(
        {shifted(1, rows), shifted(2, rows), shifted(3, rows), shifted(4, rows)});
  };
  const ss::Comparison found = ss::compare(four(1), four(0));
  REQUIRE(found.rows.size() == 4);
  REQUIRE(found.rows[0].suspicions.size() == 1);
  CHECK(found.rows[0].suspicions[0].evidence ==
        "a at index i of dimension 0 equals b at i + 1, in 65536 of 4194304 numbers");
  for (std::size_t i = 1; i < 4; ++i) CHECK(found.rows[i].suspicions.empty());
  CHECK(found.notes == std::vector<std::string>{
                           "tensors checked for the usual faults along only some dimensions: 3"});
}
