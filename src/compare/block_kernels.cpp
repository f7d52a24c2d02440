#include "compare/block_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace safestructures::inline v0::comparing {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct TwoLanes {
  static constexpr std::size_t width = 2;
  using Numbers [[gnu::vector_size(16)]] = double;
  using Words [[gnu::vector_size(16)]] = std::int64_t;
  using Floats [[gnu::vector_size(8)]] = float;
  using HalfWords [[gnu::vector_size(8)]] = std::int32_t;
};

#if defined(__x86_64__)
struct FourLanes {
  static constexpr std::size_t width = 4;
  using Numbers [[gnu::vector_size(32)]] = double;
  using Words [[gnu::vector_size(32)]] = std::int64_t;
  using Floats [[gnu::vector_size(16)]] = float;
  using HalfWords [[gnu::vector_size(16)]] = std::int32_t;
};
#endif

/// The kernels in vectors of `width` numbers, as wide as the processor's: of wider ones GCC 12
/// makes scalar comparisons. The lanes of a block are taken width by width, each in its own sums,
/// so that results do not depend on the width. Vectors are handed on by reference alone: how they
/// are passed by value depends on instructions.
template <class Vectors>
struct In {
  static constexpr std::size_t width = Vectors::width;
  using Numbers = typename Vectors::Numbers;
  using Words = typename Vectors::Words;

  [[gnu::always_inline]] static void load(Numbers& numbers, std::span<const double> from,
                                          std::size_t at) {
    std::memcpy(&numbers, from.data() + at, sizeof numbers);
  }
  [[gnu::always_inline]] static void store(const Numbers& numbers, double* to) {
    std::memcpy(to, &numbers, sizeof numbers);
  }
  [[gnu::always_inline]] static void make_absolute(Numbers& numbers) {
    numbers = reinterpret_cast<Numbers>(reinterpret_cast<Words>(numbers) &
                                        std::numeric_limits<std::int64_t>::max());
  }
  /// Only where the mask is set.
  [[gnu::always_inline]] static void keep_where(const Words& mask, Numbers& numbers) {
    numbers = reinterpret_cast<Numbers>(reinterpret_cast<Words>(numbers) & mask);
  }
  [[gnu::always_inline]] static void choose(const Words& mask, const Numbers& numbers,
                                            Numbers& target) {
    target = reinterpret_cast<Numbers>((reinterpret_cast<Words>(numbers) & mask) |
                                       (reinterpret_cast<Words>(target) & ~mask));
  }
  [[gnu::always_inline]] static void take_larger(const Numbers& numbers, Numbers& most) {
    choose(numbers > most, numbers, most);
  }
  /// Of those that are not zero.
  [[gnu::always_inline]] static void take_smaller(const Numbers& numbers, Numbers& least) {
    choose((numbers < least) & (numbers != 0.0), numbers, least);
  }
  [[gnu::always_inline]] static void take_larger(const Numbers& numbers, double& most) {
    for (std::size_t i = 0; i < width; ++i) most = std::max(most, numbers[i]);
  }
  [[gnu::always_inline]] static void add(const Numbers& numbers, double& sum) {
    for (std::size_t i = 0; i < width; ++i) sum += numbers[i];
  }
  /// How often a mask was set, of the sum of masks.
  [[gnu::always_inline]] static std::uint64_t count_of(const Words& masks) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < width; ++i) count -= masks[i];
    return static_cast<std::uint64_t>(count);
  }

  [[gnu::always_inline]] static Range range(const Block& block) {
    Range range{.least = infinity};
    Words special{};
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers most{}, largest_b{}, largest_difference{};
      Numbers least = Numbers{} + infinity;
      for (std::size_t i = lane; i < block.a.size(); i += lanes) {
        Numbers a, b, difference;
        load(a, block.a, i);
        load(b, block.b, i);
        load(difference, block.difference, i);
        make_absolute(a);
        make_absolute(b);
        make_absolute(difference);
        special |= ~((a <= largest) & (b <= largest));
        take_larger(a, most);
        take_larger(b, largest_b);
        take_larger(difference, largest_difference);
        take_smaller(a, least);
        take_smaller(b, least);
        take_smaller(difference, least);
      }
      take_larger(most, range.most);
      take_larger(largest_b, range.largest_b);
      take_larger(largest_difference, range.largest_difference);
      for (std::size_t i = 0; i < width; ++i) range.least = std::min(range.least, least[i]);
    }
    range.is_finite = count_of(special) == 0;
    range.most = std::max({range.most, range.largest_b, range.largest_difference});
    return range;
  }

  [[gnu::always_inline]] static BlockSums sums(const Block& block) {
    BlockSums all;
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers errors{}, absolute{}, squares{}, a_squares{}, b_squares{}, square_difference{};
      for (std::size_t i = lane; i < block.a.size(); i += lanes) {
        Numbers a, b, error;
        load(a, block.a, i);
        load(b, block.b, i);
        load(error, block.difference, i);
        errors += error;
        squares += error * error;
        a_squares += a * a;
        b_squares += b * b;
        square_difference += error * (a + b);
        make_absolute(error);
        absolute += error;
      }
      add(errors, all.errors);
      add(absolute, all.absolute);
      add(squares, all.squares);
      add(a_squares, all.a_squares);
      add(b_squares, all.b_squares);
      add(square_difference, all.square_difference);
    }
    return all;
  }

  [[gnu::always_inline]] static BlockVerdict judge(const Block& block, const Tolerance& tolerance,
                                                   double* ratios, double* relative) {
    BlockVerdict verdict;
    Words differing{}, beyond{};
    Numbers max_ratio{};
    for (std::size_t i = 0; i < block.a.size(); i += width) {
      Numbers error, reference;
      load(error, block.difference, i);
      load(reference, block.reference, i);
      make_absolute(error);
      const Numbers allowed = reference * tolerance.rtol + tolerance.atol;
      const Words differs = error > 0.0;
      differing += differs;
      beyond += error > allowed;
      // Nothing over nothing is no error.
      Numbers ratio = error / allowed;
      keep_where(differs, ratio);
      take_larger(ratio, max_ratio);
      store(ratio, ratios + i);
      Numbers quotient = error / reference;
      keep_where(differs, quotient);
      store(quotient, relative + i);
    }
    verdict.differing = count_of(differing);
    verdict.beyond = count_of(beyond);
    take_larger(max_ratio, verdict.max_ratio);
    return verdict;
  }

  using Floats = typename Vectors::Floats;
  using HalfWords = typename Vectors::HalfWords;

  // The place of a magnitude among those of a dtype, from a float and its bits; what is set in
  // `others` is none of the dtype's.
  struct FloatPlace {
    [[gnu::always_inline]] static void of(const Floats&, HalfWords&, HalfWords&) {}
  };
  struct Bfloat16Place {
    [[gnu::always_inline]] static void of(const Floats&, HalfWords& bits, HalfWords& others) {
      others |= bits & 0xFFFF;
      bits >>= 16;
    }
  };
  struct HalfPlace {
    [[gnu::always_inline]] static void of(const Floats& magnitude, HalfWords& bits,
                                          HalfWords& others) {
      constexpr std::int32_t least_normal = 0x3880'0000;  // 2^-14.
      constexpr std::int32_t infinite = 0x4780'0000;      // 2^16.
      const HalfWords is_normal = bits >= least_normal;
      // Below, numbers are 2^-24 apart.
      const Floats scaled = magnitude * 0x1p24F;
      const HalfWords counted = __builtin_convertvector(
          reinterpret_cast<Floats>(reinterpret_cast<HalfWords>(scaled) & ~is_normal), HalfWords);
      others |= (bits >= infinite) | (is_normal & bits & 0x1FFF) |
                (~is_normal & (__builtin_convertvector(counted, Floats) != scaled));
      bits = (((bits >> 13) - (112 << 10)) & is_normal) | counted;
    }
  };

  /// The places of numbers, rounded to floats, among all of a dtype.
  template <class Place>
  [[gnu::always_inline]] static void places(const Numbers& numbers, Words& words,
                                            HalfWords& others) {
    const Floats floats = __builtin_convertvector(numbers, Floats);
    const auto bits = reinterpret_cast<HalfWords>(floats);
    HalfWords magnitude = bits & 0x7FFF'FFFF;
    Place::of(reinterpret_cast<Floats>(magnitude), magnitude, others);
    const HalfWords sign = bits >> 31;
    words = __builtin_convertvector((magnitude ^ sign) - sign, Words);
  }

  /// \returns whether all are numbers of the dtype, where that is asked
  template <class Place>
  [[gnu::always_inline]] static bool steps_of(const Block& block, std::uint64_t* steps) {
    constexpr bool is_exact = !std::is_same_v<Place, FloatPlace>;
    HalfWords others{};
    Words rounded{};
    for (std::size_t i = 0; i < block.a.size(); i += width) {
      Numbers a, b;
      load(a, block.a, i);
      load(b, block.b, i);
      if constexpr (is_exact) {
        const Numbers a_again =
            __builtin_convertvector(__builtin_convertvector(a, Floats), Numbers);
        const Numbers b_again =
            __builtin_convertvector(__builtin_convertvector(b, Floats), Numbers);
        rounded |= (a_again != a) | (b_again != b);
      }
      Words place_a, place_b;
      places<Place>(a, place_a, others);
      places<Place>(b, place_b, others);
      const Words apart = place_a - place_b;
      const Words sign = apart >> 63;
      const Words distance = (apart ^ sign) - sign;
      std::memcpy(steps + i, &distance, sizeof distance);
    }
    std::int64_t found = 0;
    for (std::size_t i = 0; i < width; ++i) found |= others[i] | rounded[i];
    return found == 0;
  }
};

// One set of functions for each set of instructions; the bodies above become part of them.
struct Baseline {
  using Kernels = In<TwoLanes>;
  static Range range(const Block& block) { return Kernels::range(block); }
  static BlockSums sums(const Block& block) { return Kernels::sums(block); }
  static BlockVerdict judge(const Block& block, const Tolerance& tolerance, double* ratios,
                            double* relative) {
    return Kernels::judge(block, tolerance, ratios, relative);
  }
  static void float_steps(const Block& block, std::uint64_t* steps) {
    static_cast<void>(Kernels::steps_of<Kernels::FloatPlace>(block, steps));
  }
  static bool bfloat16_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<Kernels::Bfloat16Place>(block, steps);
  }
  static bool half_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<Kernels::HalfPlace>(block, steps);
  }
};

#if defined(__x86_64__)
// Without FMA, whose sums have other last digits.
struct Avx2 {
  using Kernels = In<FourLanes>;
  [[gnu::target("avx2")]] static Range range(const Block& block) { return Kernels::range(block); }
  [[gnu::target("avx2")]] static BlockSums sums(const Block& block) { return Kernels::sums(block); }
  [[gnu::target("avx2")]] static BlockVerdict judge(const Block& block, const Tolerance& tolerance,
                                                    double* ratios, double* relative) {
    return Kernels::judge(block, tolerance, ratios, relative);
  }
  [[gnu::target("avx2")]] static void float_steps(const Block& block, std::uint64_t* steps) {
    static_cast<void>(Kernels::steps_of<Kernels::FloatPlace>(block, steps));
  }
  [[gnu::target("avx2")]] static bool bfloat16_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<Kernels::Bfloat16Place>(block, steps);
  }
  [[gnu::target("avx2")]] static bool half_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<Kernels::HalfPlace>(block, steps);
  }
};
#endif

template <class Set>
constexpr BlockKernels kernels_of{&Set::range,       &Set::sums,           &Set::judge,
                                  &Set::float_steps, &Set::bfloat16_steps, &Set::half_steps};

}  // namespace

const BlockKernels& block_kernels([[maybe_unused]] bool baseline) noexcept {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2 && !baseline) return kernels_of<Avx2>;
#endif
  return kernels_of<Baseline>;
}

}  // namespace safestructures::inline v0::comparing
