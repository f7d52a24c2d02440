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

  [[gnu::always_inline]] static void subtract(const double* a, const double* b, std::size_t count,
                                              double* difference, double* reference) {
    for (std::size_t i = 0; i < count; i += width) {
      Numbers left, right;
      std::memcpy(&left, a + i, sizeof left);
      std::memcpy(&right, b + i, sizeof right);
      store(left - right, difference + i);
      make_absolute(right);
      store(right, reference + i);
    }
  }

  [[gnu::always_inline]] static Range range(const Block& block) {
    Range range{.least = infinity};
    Words special{};
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers most{};
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
        take_larger(b, most);
        take_larger(difference, most);
        take_smaller(a, least);
        take_smaller(b, least);
        take_smaller(difference, least);
      }
      take_larger(most, range.most);
      for (std::size_t i = 0; i < width; ++i) range.least = std::min(range.least, least[i]);
    }
    range.is_finite = count_of(special) == 0;
    return range;
  }

  [[gnu::always_inline]] static BlockSums sums(const Block& block) {
    BlockSums all;
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers errors{}, absolute{}, squares{}, a_squares{}, b_squares{}, square_difference{};
      Numbers largest_b{}, largest_difference{};
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
        take_larger(error, largest_difference);
        make_absolute(b);
        take_larger(b, largest_b);
      }
      add(errors, all.errors);
      add(absolute, all.absolute);
      add(squares, all.squares);
      add(a_squares, all.a_squares);
      add(b_squares, all.b_squares);
      add(square_difference, all.square_difference);
      take_larger(largest_b, all.largest_b);
      take_larger(largest_difference, all.largest_difference);
    }
    return all;
  }

  [[gnu::always_inline]] static BlockSquares squares(std::span<const double> numbers) {
    BlockSquares all;
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers squares{}, most{};
      for (std::size_t i = lane; i < numbers.size(); i += lanes) {
        Numbers some;
        load(some, numbers, i);
        squares += some * some;
        make_absolute(some);
        take_larger(some, most);
      }
      add(squares, all.sum);
      take_larger(most, all.largest);
    }
    return all;
  }

  [[gnu::always_inline]] static BlockVerdict judge(const Block& block, const Tolerance& tolerance,
                                                   double near) {
    BlockVerdict verdict;
    Words differing{}, beyond{}, is_near{};
    for (std::size_t i = 0; i < block.a.size(); i += width) {
      Numbers error, reference;
      load(error, block.difference, i);
      load(reference, block.reference, i);
      make_absolute(error);
      const Numbers allowed = reference * tolerance.rtol + tolerance.atol;
      differing += error > 0.0;
      beyond += error > allowed;
      // Without a division: rounding keeps the order, so that none is missed.
      is_near |= error >= allowed * near;
    }
    verdict.differing = count_of(differing);
    verdict.beyond = count_of(beyond);
    verdict.is_near = count_of(is_near) != 0;
    return verdict;
  }

  [[gnu::always_inline]] static double ratios(const Block& block, const Tolerance& tolerance,
                                              double* ratios) {
    Numbers most{};
    for (std::size_t i = 0; i < block.a.size(); i += width) {
      Numbers error, reference;
      load(error, block.difference, i);
      load(reference, block.reference, i);
      make_absolute(error);
      // Nothing over nothing is no error.
      Numbers ratio = error / (reference * tolerance.rtol + tolerance.atol);
      keep_where(error > 0.0, ratio);
      take_larger(ratio, most);
      store(ratio, ratios + i);
    }
    double found = 0;
    take_larger(most, found);
    return found;
  }

  [[gnu::always_inline]] static std::uint64_t widths(std::uint64_t* steps, std::size_t count) {
    constexpr std::int64_t two_to_52 = 0x4330'0000'0000'0000;  // The bits of a double.
    constexpr std::int64_t least = 1022;                       // A width of 0, with the bias.
    Words most{};
    for (std::size_t i = 0; i < count; i += width) {
      Words words;
      std::memcpy(&words, steps + i, sizeof words);
      const Words is_more = words > most;
      most = (words & is_more) | (most & ~is_more);
      const Numbers numbers = reinterpret_cast<Numbers>(words | two_to_52) - 0x1p52;
      const Words exponents = reinterpret_cast<Words>(numbers) >> 52;
      const Words bits = (exponents - least) & (exponents > least);
      std::memcpy(steps + i, &bits, sizeof bits);
    }
    std::int64_t found = 0;
    for (std::size_t i = 0; i < width; ++i) found = std::max<std::int64_t>(found, most[i]);
    return static_cast<std::uint64_t>(found);
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
  static void subtract(const double* a, const double* b, std::size_t count, double* difference,
                       double* reference) {
    Kernels::subtract(a, b, count, difference, reference);
  }
  static Range range(const Block& block) { return Kernels::range(block); }
  static BlockSums sums(const Block& block) { return Kernels::sums(block); }
  static BlockSquares squares(std::span<const double> numbers) { return Kernels::squares(numbers); }
  static BlockVerdict judge(const Block& block, const Tolerance& tolerance, double near) {
    return Kernels::judge(block, tolerance, near);
  }
  static double ratios(const Block& block, const Tolerance& tolerance, double* ratios) {
    return Kernels::ratios(block, tolerance, ratios);
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
  static std::uint64_t widths(std::uint64_t* steps, std::size_t count) {
    return Kernels::widths(steps, count);
  }
};

#if defined(__x86_64__)
// Without FMA, whose sums have other last digits.
struct Avx2 {
  using Kernels = In<FourLanes>;
  [[gnu::target("avx2")]] static void subtract(const double* a, const double* b, std::size_t count,
                                               double* difference, double* reference) {
    Kernels::subtract(a, b, count, difference, reference);
  }
  [[gnu::target("avx2")]] static Range range(const Block& block) { return Kernels::range(block); }
  [[gnu::target("avx2")]] static BlockSums sums(const Block& block) { return Kernels::sums(block); }
  [[gnu::target("avx2")]] static BlockSquares squares(std::span<const double> numbers) {
    return Kernels::squares(numbers);
  }
  [[gnu::target("avx2")]] static BlockVerdict judge(const Block& block, const Tolerance& tolerance,
                                                    double near) {
    return Kernels::judge(block, tolerance, near);
  }
  [[gnu::target("avx2")]] static double ratios(const Block& block, const Tolerance& tolerance,
                                               double* ratios) {
    return Kernels::ratios(block, tolerance, ratios);
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
  [[gnu::target("avx2")]] static std::uint64_t widths(std::uint64_t* steps, std::size_t count) {
    return Kernels::widths(steps, count);
  }
};
#endif

template <class Set>
constexpr BlockKernels kernels_of{
    &Set::subtract, &Set::range,       &Set::sums,           &Set::squares,    &Set::judge,
    &Set::ratios,   &Set::float_steps, &Set::bfloat16_steps, &Set::half_steps, &Set::widths};

}  // namespace

const BlockKernels& block_kernels([[maybe_unused]] bool baseline) noexcept {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2 && !baseline) return kernels_of<Avx2>;
#endif
  return kernels_of<Baseline>;
}

}  // namespace safestructures::inline v0::comparing
