/// \file
/// A tensor read into memory of any layout.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/safestructures.hpp>

namespace {

namespace ss = safestructures;

/// A layout of memory in which dimensions are in any order, backwards or with gaps, and where its
/// first element is.
struct Memory {
  ss::TensorLayout layout;
  std::size_t first = 0;
  std::size_t size = 0;
};

Memory random_memory(const std::vector<std::uint64_t>& sizes, std::mt19937& random) {
  Memory memory;
  memory.layout.sizes = sizes;
  memory.layout.strides.resize(sizes.size());
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (random() % 2 == 0) std::ranges::shuffle(order, random);
  std::size_t taken = 1;
  for (const std::size_t i : order) {
    const std::size_t stride = taken + (random() % 3 == 0 ? random() % 5 : 0);
    const std::size_t extent = stride * (static_cast<std::size_t>(sizes[i]) - 1);
    const bool is_backwards = random() % 4 == 0;
    memory.layout.strides[i] =
        static_cast<std::int64_t>(stride * sizeof(float)) * (is_backwards ? -1 : 1);
    if (is_backwards) memory.first += extent;
    taken += extent;
  }
  memory.size = taken;
  return memory;
}

}  // namespace

TEST_CASE("each element is read into its place, and gaps are left as they are") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> sizes(random() % 5);
    for (std::uint64_t& size : sizes) size = 1 + random() % 5;
    const std::size_t count =
        std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
    std::vector<float> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0F);
    const ss::Value value(ss::Tensor::of(std::span<const float>(numbers),
                                         ss::Shape(std::span<const std::uint64_t>(sizes))));
    const Memory memory = random_memory(sizes, random);

    std::vector<float> target(memory.size, -1);
    ss::Decoder decoder;
    ss::TensorSource source(std::in_place_type<float>, value, decoder, "a tensor");
    source.read(memory.layout, target.data() + memory.first);

    std::vector<float> expected(memory.size, -1);
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t rest = i;
      auto place = static_cast<std::int64_t>(memory.first);
      for (std::size_t dimension = sizes.size(); dimension-- > 0;) {
        place += static_cast<std::int64_t>(rest % sizes[dimension]) *
                 memory.layout.strides[dimension] / static_cast<std::int64_t>(sizeof(float));
        rest /= sizes[dimension];
      }
      expected[static_cast<std::size_t>(place)] = numbers[i];
    }
    CHECK(target == expected);
  }
}
