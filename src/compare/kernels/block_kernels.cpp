#include "compare/kernels/block_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "compare/kernels/vectors.hpp"

namespace safestructures::inline v0::comparing {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Vectors>
struct In : Lanes<Vectors> {
  using Base = Lanes<Vectors>;
  using Base::width;
  using typename Base::Numbers;
  using typename Base::Words;

  [[gnu::always_inline]] static void subtract(const double* a, const double* b, std::size_t count,
                                              double* difference, double* reference) {
    for (std::size_t i = 0; i < count; i += width) {
      Numbers left, right;
      std::memcpy(&left, a + i, sizeof left);
      std::memcpy(&right, b + i, sizeof right);
      Base::store(left - right, difference + i);
      Base::make_absolute(right);
      Base::store(right, reference + i);
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
        Base::load(a, block.a, i);
        Base::load(b, block.b, i);
        Base::load(difference, block.difference, i);
        Base::make_absolute(a);
        Base::make_absolute(b);
        Base::make_absolute(difference);
        special |= ~((a <= largest) & (b <= largest));
        Base::take_larger(a, most);
        Base::take_larger(b, most);
        Base::take_larger(difference, most);
        Base::take_smaller(a, least);
        Base::take_smaller(b, least);
        Base::take_smaller(difference, least);
      }
      Base::take_larger(most, range.most);
      for (std::size_t i = 0; i < width; ++i) range.least = std::min(range.least, least[i]);
    }
    range.is_finite = Base::count_of(special) == 0;
    return range;
  }

  [[gnu::always_inline]] static BlockSums sums(const Block& block) {
    BlockSums all;
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      ErrorSums<Vectors> own;
      Numbers largest_b{}, largest_difference{};
      for (std::size_t i = lane; i < block.a.size(); i += lanes) {
        Numbers a, b, error;
        Base::load(a, block.a, i);
        Base::load(b, block.b, i);
        Base::load(error, block.difference, i);
        own.add(a, b, error);
        Base::take_larger(error, largest_difference);
        Base::make_absolute(b);
        Base::take_larger(b, largest_b);
      }
      own.add_to(all);
      Base::take_larger(largest_b, all.largest_b);
      Base::take_larger(largest_difference, all.largest_difference);
    }
    return all;
  }

  [[gnu::always_inline]] static BlockSquares squares(std::span<const double> numbers) {
    BlockSquares all;
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers squares{}, most{};
      for (std::size_t i = lane; i < numbers.size(); i += lanes) {
        Numbers some;
        Base::load(some, numbers, i);
        squares += some * some;
        Base::make_absolute(some);
        Base::take_larger(some, most);
      }
      Base::add(squares, all.sum);
      Base::take_larger(most, all.largest);
    }
    return all;
  }

  [[gnu::always_inline]] static BlockVerdict judge(const Block& block, const Tolerance& tolerance,
                                                   double near) {
    BlockVerdict verdict;
    Words differing{}, beyond{}, is_near{};
    for (std::size_t i = 0; i < block.a.size(); i += width) {
      Numbers error, reference;
      Base::load(error, block.difference, i);
      Base::load(reference, block.reference, i);
      Base::make_absolute(error);
      const Numbers allowed = reference * tolerance.rtol + tolerance.atol;
      differing += error > 0.0;
      beyond += error > allowed;
      // No division: rounding is monotonic, so none is missed.
      is_near |= error >= allowed * near;
    }
    verdict.differing = Base::count_of(differing);
    verdict.beyond = Base::count_of(beyond);
    verdict.is_near = Base::count_of(is_near) != 0;
    return verdict;
  }

  [[gnu::always_inline]] static double ratios(const Block& block, const Tolerance& tolerance,
                                              double* ratios) {
    Numbers most{};
    for (std::size_t i = 0; i < block.a.size(); i += width) {
      Numbers error, reference;
      Base::load(error, block.difference, i);
      Base::load(reference, block.reference, i);
      Base::make_absolute(error);
      // 0 / 0 counts as no error.
      Numbers ratio = error / (reference * tolerance.rtol + tolerance.atol);
      Base::keep_where(error > 0.0, ratio);
      Base::take_larger(ratio, most);
      Base::store(ratio, ratios + i);
    }
    double found = 0;
    Base::take_larger(most, found);
    return found;
  }

  [[gnu::always_inline]] static std::uint64_t widths(std::uint64_t* steps, std::size_t count) {
    constexpr std::int64_t two_to_52 = 0x4330'0000'0000'0000;  // The bits of a double.
    constexpr std::int64_t least = 1022;  // The biased exponent of a width of 0.
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

  using Floats = typename Vectors::HalfFloats;
  using Ints = typename Vectors::HalfInts;

  /// \returns whether all are numbers of the dtype, if that is asked
  template <class Place>
  [[gnu::always_inline]] static bool steps_of(const Block& block, std::uint64_t* steps) {
    constexpr bool is_exact = !std::is_same_v<Place, FloatPlace>;
    Ints others{};
    Words rounded{};
    for (std::size_t i = 0; i < block.a.size(); i += width) {
      Numbers a, b;
      Base::load(a, block.a, i);
      Base::load(b, block.b, i);
      if constexpr (is_exact) {
        const Numbers a_again =
            __builtin_convertvector(__builtin_convertvector(a, Floats), Numbers);
        const Numbers b_again =
            __builtin_convertvector(__builtin_convertvector(b, Floats), Numbers);
        rounded |= (a_again != a) | (b_again != b);
      }
      Ints place_a, place_b;
      find_places<Place>(__builtin_convertvector(a, Floats), place_a, others);
      find_places<Place>(__builtin_convertvector(b, Floats), place_b, others);
      const Words apart =
          __builtin_convertvector(place_a, Words) - __builtin_convertvector(place_b, Words);
      const Words sign = apart >> 63;
      const Words distance = (apart ^ sign) - sign;
      std::memcpy(steps + i, &distance, sizeof distance);
    }
    std::int64_t found = 0;
    for (std::size_t i = 0; i < width; ++i) found |= others[i] | rounded[i];
    return found == 0;
  }
};

// One set of functions per instruction set; the bodies above are inlined into them.
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
    static_cast<void>(Kernels::steps_of<FloatPlace>(block, steps));
  }
  static bool bfloat16_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<Bfloat16Place>(block, steps);
  }
  static bool half_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<HalfPlace>(block, steps);
  }
  static std::uint64_t widths(std::uint64_t* steps, std::size_t count) {
    return Kernels::widths(steps, count);
  }
};

#if defined(__x86_64__)
// Without FMA, which would change the last digits of sums.
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
    static_cast<void>(Kernels::steps_of<FloatPlace>(block, steps));
  }
  [[gnu::target("avx2")]] static bool bfloat16_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<Bfloat16Place>(block, steps);
  }
  [[gnu::target("avx2")]] static bool half_steps(const Block& block, std::uint64_t* steps) {
    return Kernels::steps_of<HalfPlace>(block, steps);
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
  if (has_avx2() && !baseline) return kernels_of<Avx2>;
#endif
  return kernels_of<Baseline>;
}

}  // namespace safestructures::inline v0::comparing
