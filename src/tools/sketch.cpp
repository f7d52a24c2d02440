#include <safestructures/tools/sketch.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "platform/split_mix.hpp"
#include "platform/xxh3.hpp"
#include "tools/doubles.hpp"

namespace safestructures::inline v0 {
namespace {

// A multiple of eight for packed elements.
constexpr std::uint64_t block_size = 4096;

std::uint64_t seed_of(const Shape& shape) {
  std::uint64_t seed = shape.size();
  for (const std::uint64_t size : shape)
    seed = platform::split_mix(seed + platform::split_mix_step) ^ size;
  return seed;
}

constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
constexpr std::uint64_t exponent = 0x7FF0'0000'0000'0000U;

using Choices = std::array<std::uint64_t, 256>;

/// Makes the choices for the numbers that follow a state.
[[gnu::always_inline]] inline void make_choices(std::uint64_t state, Choices& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i)
    choices[i] = platform::split_mix(state + platform::split_mix_step * (i + 1));
}
void choose_in_words(std::uint64_t state, Choices& choices) { make_choices(state, choices); }
#if defined(__x86_64__)
// These are the first instructions that multiply 64-bit words in vectors.
[[gnu::target("avx512f,avx512dq")]] void choose_in_vectors(std::uint64_t state, Choices& choices) {
  make_choices(state, choices);
}
#endif

void choose(std::uint64_t state, Choices& choices) {
#if defined(__x86_64__)
  static const bool has_vectors = __builtin_cpu_supports("avx512dq") != 0;
  if (has_vectors) return choose_in_vectors(state, choices);
#endif
  choose_in_words(state, choices);
}

}  // namespace

TensorSketch sketch(const Tensor& tensor) {
  platform::Xxh3 hash;
  std::vector<std::byte> bytes;
  TensorSketch made;
  std::uint64_t state = seed_of(tensor.shape());
  Choices choices;
  const auto add = [&](std::span<const double> numbers, std::uint64_t first, std::uint64_t count) {
    const std::size_t size = byte_size(tensor.dtype(), Shape{count});
    if (tensor.is_loaded() && tensor.is_contiguous()) {
      const std::size_t offset = byte_size(tensor.dtype(), Shape{first});
      hash.add(tensor.bytes().subspan(offset, size));
    } else {
      bytes.resize(size);
      tensor.copy_elements(first, count, tensor.dtype(), bytes, Overflow::allow);
      hash.add(bytes);
    }
    for (std::size_t at = 0; at < numbers.size(); at += choices.size()) {
      const auto some = numbers.subspan(at, std::min(choices.size(), numbers.size() - at));
      // Separate from the sums, which must be updated one by one.
      choose(state, choices);
      state += platform::split_mix_step * some.size();
      for (std::size_t i = 0; i < some.size(); ++i) {
        const auto bits = std::bit_cast<std::uint64_t>(some[i]);
        const std::uint64_t finite = (bits & exponent) != exponent ? bits : 0;
        made.sums[choices[i] % TensorSketch::size] +=
            std::bit_cast<double>(finite ^ (choices[i] & sign));
      }
    }
  };
  detail::for_each_block_in_doubles(tensor, block_size, add);
  made.hash = hash.value();
  return made;
}

}  // namespace safestructures::inline v0
