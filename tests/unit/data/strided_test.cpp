/// \file
/// Strided memory is read in row-major order, whatever its strides, and in any blocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "data/conversion/strided.hpp"

namespace ss = safestructures;

namespace {

// Memory with a view of it, and its elements in row-major order by the definition of strides.
struct Sample {
  std::vector<std::byte> memory;
  std::vector<std::uint64_t> sizes;
  std::vector<std::int64_t> strides;
  std::size_t origin = 0;
  std::size_t width = 1;
  std::vector<std::byte> elements;

  [[nodiscard]] ss::detail::StridedView view() const {
    return {ss::Shape(std::span<const std::uint64_t>(sizes)), strides, memory.data() + origin,
            width};
  }
  [[nodiscard]] std::uint64_t count() const { return elements.size() / width; }

  void read_elements() {
    std::uint64_t total = 1;
    for (const std::uint64_t size : sizes) total *= size;
    std::vector<std::uint64_t> index(sizes.size(), 0);
    for (std::uint64_t e = 0; e < total; ++e) {
      const std::byte* place = memory.data() + origin;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        place += static_cast<std::int64_t>(index[i]) * strides[i];
      }
      elements.insert(elements.end(), place, place + width);
      for (std::size_t i = sizes.size(); i-- > 0;) {
        if (++index[i] < sizes[i]) break;
        index[i] = 0;
      }
    }
  }
};

// Dimensions in any order in memory, some with gaps, reversed, repeated (stride 0) or of size 1.
Sample random_sample(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  Sample sample;
  const std::size_t rank = below(5);
  sample.width = std::size_t{1} << below(4);
  for (std::size_t i = 0; i < rank; ++i) {
    sample.sizes.push_back(below(8) == 0 ? 1 : 1 + below(rank < 3 ? 150 : 14));
  }
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  sample.strides.resize(rank);
  sample.origin = below(65);
  std::size_t extent = sample.width;
  for (const std::size_t i : order) {
    if (below(9) == 0) continue;
    if (below(6) == 0) extent += sample.width * below(3);
    sample.strides[i] = static_cast<std::int64_t>(extent);
    if (below(6) == 0) {
      sample.origin += extent * (sample.sizes[i] - 1);
      sample.strides[i] = -sample.strides[i];
    }
    extent *= sample.sizes[i];
  }
  sample.memory.resize(sample.origin + extent + sample.width);
  for (std::byte& byte : sample.memory) byte = static_cast<std::byte>(random());
  sample.read_elements();
  return sample;
}

}  // namespace

TEST_CASE("any part of any strided view is gathered in row-major order") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 400; ++round) {
    const Sample sample = random_sample(random);
    const ss::detail::StridedView view = sample.view();
    for (int part = 0; part < 5; ++part) {
      const std::uint64_t first = part == 0 ? 0 : random() % (sample.count() + 1);
      const std::uint64_t rest = sample.count() - first;
      const std::uint64_t count = part == 0 ? rest : random() % (rest + 1);
      // At an odd address, with a guard behind.
      std::vector<std::byte> out(count * sample.width + 2, std::byte{0xAB});
      view.gather(first, count, out.data() + 1);
      CAPTURE(round);
      REQUIRE(
          std::equal(out.begin() + 1, out.end() - 1,
                     sample.elements.begin() + static_cast<std::ptrdiff_t>(first * sample.width)));
      REQUIRE(out.back() == std::byte{0xAB});
    }
  }
}

TEST_CASE("a column-major matrix comes out the same in blocks of every length") {
  Sample sample;
  sample.sizes = {37, 53};
  sample.width = 4;
  sample.strides = {4, 37 * 4};
  sample.memory.resize(37 * 53 * 4);
  for (std::size_t i = 0; i < sample.memory.size(); ++i) {
    sample.memory[i] = static_cast<std::byte>(i * 131 >> 3U);
  }
  sample.read_elements();
  for (std::uint64_t block = 1; block <= sample.count(); block += block < 70 ? 1 : 97) {
    std::vector<std::byte> out(sample.elements.size());
    for (std::uint64_t done = 0; done < sample.count(); done += block) {
      sample.view().gather(done, std::min(block, sample.count() - done), out.data() + done * 4);
    }
    CAPTURE(block);
    REQUIRE(out == sample.elements);
  }
}

TEST_CASE("only what lies row-major without gaps is contiguous") {
  const struct {
    std::vector<std::uint64_t> sizes;
    std::vector<std::int64_t> strides;
    bool contiguous;
  } cases[] = {
      {{}, {}, true},
      {{7}, {4}, true},
      {{7}, {8}, false},
      {{7}, {-4}, false},
      {{7}, {0}, false},
      {{1}, {-1000}, true},
      {{2, 3}, {12, 4}, true},
      {{2, 3}, {4, 8}, false},
      {{2, 3}, {16, 4}, false},
      {{1, 3}, {999, 4}, true},
      {{2, 1, 3}, {12, -5, 4}, true},
      {{0, 3}, {1, 1}, true},
      {{2, 3, 4}, {48, 16, 4}, true},
      {{2, 3, 4}, {16, 32, 4}, false},
  };
  for (const auto& one : cases) {
    const ss::Shape shape{std::span<const std::uint64_t>(one.sizes)};
    CAPTURE(ss::to_string(shape));
    CHECK(ss::detail::StridedView(shape, one.strides, nullptr, 4).is_contiguous() ==
          one.contiguous);
  }
}

TEST_CASE("many dimensions cost no more than those that have more than one index") {
  std::vector<std::uint64_t> sizes(500, 1);
  std::vector<std::int64_t> strides(500, 0);
  for (std::size_t i = 0; i < 6; ++i) {
    sizes[i * 90] = 2;
    strides[i * 90] = std::int64_t{1} << i;  // The innermost index is the slowest in memory.
  }
  std::vector<std::byte> memory(64);
  for (std::size_t i = 0; i < 64; ++i) memory[i] = static_cast<std::byte>(i);
  const ss::detail::StridedView view(ss::Shape{std::span<const std::uint64_t>(sizes)}, strides,
                                     memory.data(), 1);
  std::vector<std::byte> out(64);
  view.gather(0, 64, out.data());
  for (unsigned i = 0; i < 64; ++i) {
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 6; ++bit) reversed |= (i >> bit & 1U) << (5 - bit);
    REQUIRE(out[i] == static_cast<std::byte>(reversed));
  }
}
