#include "compare/kernels/word_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>

#include <safestructures/data/minifloat.hpp>
#include "compare/kernels/vectors.hpp"

namespace safestructures::inline v0::comparing {
namespace {

constexpr std::size_t widths_count = std::tuple_size_v<StepWidths>;
// Signed numbers are compared in one instruction; step counts are unsigned.
constexpr std::int16_t sign_bit = std::numeric_limits<std::int16_t>::min();

template <class Vectors>
struct WordsIn {
  using Shorts = typename Vectors::Shorts;
  using UnsignedShorts = typename Vectors::UnsignedShorts;
  static constexpr std::size_t width = sizeof(Shorts) / sizeof(std::int16_t);

  Shorts others{}, differing{}, largest_b{};
  Shorts most = Shorts{} + sign_bit;
  // A lane counts at most 65,535 / 8.
  std::array<Shorts, widths_count> at_least{};

  [[gnu::always_inline]] static void find_places(const Shorts& words, const Shorts& infinite,
                                                 Shorts& magnitudes, Shorts& places,
                                                 Shorts& others) {
    magnitudes = words & 0x7FFF;
    others |= magnitudes >= infinite;
    const Shorts sign = words >> 15;
    places = (magnitudes ^ sign) - sign;
  }

  [[gnu::always_inline]] void take(const std::byte* from_a, const std::byte* from_b,
                                   const Shorts& infinite,
                                   const std::array<Shorts, widths_count>& limits) {
    Shorts a, b;
    std::memcpy(&a, from_a, sizeof a);
    std::memcpy(&b, from_b, sizeof b);
    Shorts magnitude_a, magnitude_b, place_a, place_b;
    find_places(a, infinite, magnitude_a, place_a, others);
    find_places(b, infinite, magnitude_b, place_b, others);
    largest_b = magnitude_b > largest_b ? magnitude_b : largest_b;
    differing += place_a != place_b;
    const auto flip = reinterpret_cast<UnsignedShorts>(Shorts(place_a < place_b));
    const UnsignedShorts apart =
        ((reinterpret_cast<UnsignedShorts>(place_a) - reinterpret_cast<UnsignedShorts>(place_b)) ^
         flip) -
        flip;
    const Shorts steps = reinterpret_cast<Shorts>(apart) ^ sign_bit;
    most = steps > most ? steps : most;
    for (std::size_t k = 0; k < widths_count; ++k) at_least[k] += steps > limits[k];
  }

  [[gnu::always_inline]] static FloatSteps steps(const WordBlock& block, const StepWidths& widths,
                                                 const std::int16_t infinite_word) {
    WordsIn all;
    const Shorts infinite = Shorts{} + infinite_word;
    std::array<Shorts, widths_count> limits;
    for (std::size_t k = 0; k < widths_count; ++k) {
      // No two 16-bit numbers are 2^16 steps apart.
      const std::uint32_t below = widths[k] > 16 ? 0xFFFFU : (1U << (widths[k] - 1)) - 1;
      limits[k] = Shorts{} + static_cast<std::int16_t>(static_cast<std::uint16_t>(below ^ 0x8000U));
    }
    const std::size_t whole = block.count / width * width;
    for (std::size_t i = 0; i < whole; i += width)
      all.take(block.a + 2 * i, block.b + 2 * i, infinite, limits);
    if (const std::size_t rest = 2 * (block.count - whole); rest != 0) {
      // Equal zeros on both sides, which do not count.
      std::array<std::byte, sizeof(Shorts)> a{}, b{};
      std::memcpy(a.data(), block.a + 2 * whole, rest);
      std::memcpy(b.data(), block.b + 2 * whole, rest);
      all.take(a.data(), b.data(), infinite, limits);
    }
    return all.found();
  }

  /// \returns the result with the word of `largest_b` in place of its value
  [[gnu::always_inline]] FloatSteps found() const {
    FloatSteps all;
    std::int16_t found = 0, magnitude = 0;
    for (std::size_t i = 0; i < width; ++i) {
      found |= others[i];
      magnitude = std::max<std::int16_t>(magnitude, largest_b[i]);
      all.most = std::max<std::uint32_t>(
          all.most, static_cast<std::uint16_t>(static_cast<std::uint16_t>(most[i]) ^ 0x8000U));
      all.differing += static_cast<std::uint64_t>(-differing[i]);
      for (std::size_t k = 0; k < widths_count; ++k)
        all.at_least[k] += static_cast<std::uint64_t>(-at_least[k][i]);
    }
    all.is_exact = found == 0;
    all.largest_b = static_cast<float>(magnitude);
    return all;
  }
};

FloatSteps steps_in_baseline(const WordBlock& block, const StepWidths& widths,
                             std::int16_t infinite) {
  return WordsIn<TwoLanes>::steps(block, widths, infinite);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] FloatSteps steps_in_avx2(const WordBlock& block, const StepWidths& widths,
                                                 std::int16_t infinite) {
  return WordsIn<FourLanes>::steps(block, widths, infinite);
}
#endif

template <class Number>
FloatSteps steps_of(const WordBlock& block, const StepWidths& widths,
                    [[maybe_unused]] bool baseline) {
  const auto infinite =
      static_cast<std::int16_t>(Number(std::numeric_limits<float>::infinity()).bits());
  FloatSteps steps;
#if defined(__x86_64__)
  steps = has_avx2() && !baseline ? steps_in_avx2(block, widths, infinite)
                                  : steps_in_baseline(block, widths, infinite);
#else
  steps = steps_in_baseline(block, widths, infinite);
#endif
  steps.largest_b = Number::from_bits(static_cast<std::uint16_t>(steps.largest_b));
  return steps;
}

}  // namespace

FloatSteps word_steps(DType dtype, const WordBlock& block, const StepWidths& widths,
                      bool baseline) noexcept {
  return dtype == DType::BF16 ? steps_of<bfloat16>(block, widths, baseline)
                              : steps_of<half>(block, widths, baseline);
}

}  // namespace safestructures::inline v0::comparing
