#include "compare/kernels/float_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "compare/kernels/vectors.hpp"

namespace safestructures::inline v0::comparing {
namespace {

template <class Vectors>
struct FloatsIn : Lanes<Vectors> {
  using Base = Lanes<Vectors>;
  using Base::load;
  using Base::width;
  using typename Base::Numbers;
  using typename Base::Words;

  /// \param error |a - b| \param reference |b| \param allowed the error that the tolerance allows
  [[gnu::always_inline]] static void note_watched(const Numbers& error, const Numbers& reference,
                                                  const Numbers& allowed, const FloatWatch& watch,
                                                  Words& watched) {
    // No division: rounding is monotonic, so none is missed.
    watched |= error >= allowed * watch.ratio;
    watched |= (error > watch.absolute) & (error > reference * watch.relative);
  }

  [[gnu::always_inline]] static FloatSums sums(const FloatBlock& block, const FloatWatch& watch) {
    FloatSums all;
    const double rtol = watch.tolerance.rtol;
    const double atol = watch.tolerance.atol;
    Words beyond{};
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      ErrorSums<Vectors> own;
      Numbers largest{};
      for (std::size_t run = 0; run * run_size < block.count; ++run) {
        Words watched{};
        const std::size_t end = std::min(block.count, (run + 1) * run_size);
        for (std::size_t i = run * run_size + lane; i < end; i += lanes) {
          Numbers a, b;
          load(a, block.a, i);
          load(b, block.b, i);
          Numbers error = a - b;
          own.add(a, b, error);
          Base::make_absolute(b);
          largest = error > largest ? error : largest;
          const Numbers allowed = b * rtol + atol;
          beyond += error > allowed;
          note_watched(error, b, allowed, watch, watched);
        }
        all.is_watched[run] |= Base::is_any(watched);
      }
      own.add_to(all);
      Base::take_larger(largest, all.largest_difference);
    }
    all.beyond = Base::count_of(beyond);
    return all;
  }

  [[gnu::always_inline]] static std::uint32_t watched_in(const FloatBlock& block,
                                                         const FloatWatch& watch, std::size_t run) {
    std::uint32_t groups = 0;
    const std::size_t begin = run * run_size;
    const std::size_t end = std::min(block.count, begin + run_size);
    for (std::size_t group = begin; group < end; group += lanes) {
      Words watched{};
      for (std::size_t i = group; i < group + lanes; i += width) {
        Numbers a, b;
        load(a, block.a, i);
        load(b, block.b, i);
        Numbers error = a - b;
        Base::make_absolute(error);
        Base::make_absolute(b);
        note_watched(error, b, b * watch.tolerance.rtol + watch.tolerance.atol, watch, watched);
      }
      groups |= static_cast<std::uint32_t>(Base::is_any(watched)) << ((group - begin) / lanes);
    }
    return groups;
  }

  using Floats = typename Vectors::Floats;
  using Ints = typename Vectors::Ints;
  using Counts = typename Vectors::Counts;
  static constexpr std::size_t floats = 2 * width;

  [[gnu::always_inline]] static void take_larger(const Ints& ints, Ints& most) {
    most = ints > most ? ints : most;
  }

  template <class Place>
  [[gnu::always_inline]] static FloatSteps steps(const FloatBlock& block,
                                                 const StepWidths& widths) {
    constexpr std::int32_t sign_bit = std::numeric_limits<std::int32_t>::min();
    Ints others{}, differing{}, largest_b{};
    Ints most = Ints{} + sign_bit;
    constexpr std::size_t count = std::tuple_size_v<StepWidths>;
    Ints at_least[count] = {};
    // Halved to fit signed numbers: numbers of opposite signs differ by up to 2^32 steps.
    Ints limits[count];
    for (std::size_t k = 0; k < count; ++k)
      limits[k] = Ints{} + static_cast<std::int32_t>((std::uint64_t{1} << (widths[k] - 2)) - 1);
    for (std::size_t i = 0; i < block.count; i += floats) {
      Floats a, b;
      std::memcpy(&a, block.a + i * sizeof(float), sizeof a);
      std::memcpy(&b, block.b + i * sizeof(float), sizeof b);
      Ints place_a, place_b;
      find_places<Place>(a, place_a, others);
      find_places<Place>(b, place_b, others);
      take_larger(reinterpret_cast<Ints>(b) & 0x7FFF'FFFF, largest_b);
      const Ints is_less = place_a < place_b;
      const auto flip = reinterpret_cast<Counts>(is_less);
      const Counts apart =
          ((reinterpret_cast<Counts>(place_a) - reinterpret_cast<Counts>(place_b)) ^ flip) - flip;
      differing += place_a != place_b;
      take_larger(reinterpret_cast<Ints>(apart) ^ sign_bit, most);
      const auto half = reinterpret_cast<Ints>(apart >> 1);
      for (std::size_t k = 0; k < count; ++k) at_least[k] += half > limits[k];
    }
    FloatSteps all;
    std::int32_t found = 0, magnitude = 0;
    for (std::size_t i = 0; i < floats; ++i) {
      found |= others[i];
      magnitude = std::max(magnitude, largest_b[i]);
      all.most = std::max(all.most, static_cast<std::uint32_t>(most[i] ^ sign_bit));
      all.differing += static_cast<std::uint64_t>(-differing[i]);
      for (std::size_t k = 0; k < count; ++k)
        all.at_least[k] += static_cast<std::uint64_t>(-at_least[k][i]);
    }
    all.is_exact = found == 0;
    all.largest_b = std::bit_cast<float>(magnitude);
    return all;
  }
};

// One set of functions per instruction set; the bodies above are inlined into them.
struct Baseline {
  using Kernels = FloatsIn<TwoLanes>;
  static FloatSums sums(const FloatBlock& block, const FloatWatch& watch) {
    return Kernels::sums(block, watch);
  }
  static std::uint32_t watched_in(const FloatBlock& block, const FloatWatch& watch,
                                  std::size_t run) {
    return Kernels::watched_in(block, watch, run);
  }
  template <class Place>
  static FloatSteps steps(const FloatBlock& block, const StepWidths& widths) {
    return Kernels::steps<Place>(block, widths);
  }
};

#if defined(__x86_64__)
// Without FMA, which would change the last digits of sums.
struct Avx2 {
  using Kernels = FloatsIn<FourLanes>;
  [[gnu::target("avx2")]] static FloatSums sums(const FloatBlock& block, const FloatWatch& watch) {
    return Kernels::sums(block, watch);
  }
  [[gnu::target("avx2")]] static std::uint32_t watched_in(const FloatBlock& block,
                                                          const FloatWatch& watch,
                                                          std::size_t run) {
    return Kernels::watched_in(block, watch, run);
  }
  template <class Place>
  [[gnu::target("avx2")]] static FloatSteps steps(const FloatBlock& block,
                                                  const StepWidths& widths) {
    return Kernels::steps<Place>(block, widths);
  }
};
#endif

template <class Set>
constexpr FloatKernels kernels_of{&Set::sums, &Set::watched_in, &Set::template steps<FloatPlace>,
                                  &Set::template steps<Bfloat16Place>,
                                  &Set::template steps<HalfPlace>};

}  // namespace

const FloatKernels& float_kernels([[maybe_unused]] bool baseline) noexcept {
#if defined(__x86_64__)
  if (has_avx2() && !baseline) return kernels_of<Avx2>;
#endif
  return kernels_of<Baseline>;
}

}  // namespace safestructures::inline v0::comparing
