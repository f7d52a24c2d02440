#include <safestructures/tools/sketch.hpp>

#include <cmath>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <xxhash.h>

#include "tools/doubles.hpp"

namespace safestructures::inline v0 {
namespace {

// A multiple of eight for packed elements.
constexpr std::uint64_t block_size = 4096;

/// The output of SplitMix64 (Steele, Lea, Flood, 2014) for a state.
constexpr std::uint64_t mixed(std::uint64_t state) noexcept {
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31U);
}
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

std::uint64_t seed_of(const Shape& shape) {
  std::uint64_t seed = shape.size();
  for (const std::uint64_t size : shape) seed = mixed(seed + golden) ^ size;
  return seed;
}

struct Release {
  void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
};

}  // namespace

TensorSketch sketch(const Tensor& tensor) {
  const std::unique_ptr<XXH3_state_t, Release> hash(XXH3_createState());
  if (hash == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(hash.get());
  std::vector<std::byte> bytes;
  TensorSketch made;
  std::uint64_t state = seed_of(tensor.shape());
  const auto add = [&](std::span<const double> numbers, std::uint64_t first, std::uint64_t count) {
    bytes.resize(byte_size(tensor.dtype(), Shape{count}));
    tensor.copy_elements(first, count, tensor.dtype(), bytes, Overflow::allow);
    XXH3_64bits_update(hash.get(), bytes.data(), bytes.size());
    for (const double number : numbers) {
      state += golden;
      const std::uint64_t choice = mixed(state);
      const double finite = std::isfinite(number) ? number : 0;
      made.sums[choice % TensorSketch::size] += choice >> 63U != 0 ? -finite : finite;
    }
  };
  detail::for_each_block_in_doubles(tensor, block_size, add);
  made.hash = XXH3_64bits_digest(hash.get());
  return made;
}

}  // namespace safestructures::inline v0
