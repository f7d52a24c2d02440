#include "compare/kernels/row_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compare/kernels/vectors.hpp"

namespace safestructures::inline v0::comparing {
namespace {

template <class Vectors>
struct RowsIn : Lanes<Vectors> {
  using Base = Lanes<Vectors>;
  using Base::load;
  using Base::width;
  using typename Base::Numbers;
  using typename Base::Words;

  [[gnu::always_inline]] static void load(Numbers& numbers, const double* from, std::size_t at) {
    std::memcpy(&numbers, from + at, sizeof numbers);
  }

  // Arguments by value: compilers have to assume that stores change what references refer to.
  [[gnu::always_inline]] static RowSums sums(const FloatBlock block, const Tolerance tolerance,
                                             double* const ratios) {
    // Separate from the result, which GCC first fills with a slow instruction.
    BlockSums all;
    Words differing{}, beyond{};
    Numbers largest_b{}, largest{}, max_ratio{};
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      ErrorSums<Vectors> own;
      for (std::size_t i = lane; i < block.count; i += lanes) {
        Numbers a, b;
        load(a, block.a, i);
        load(b, block.b, i);
        Numbers error = a - b;
        own.add(a, b, error);
        Base::make_absolute(b);
        const Numbers allowed = b * tolerance.rtol + tolerance.atol;
        // 0 / 0 counts as no error.
        Numbers ratio = error / allowed;
        Base::keep_where(error > 0.0, ratio);
        differing += error > 0.0;
        beyond += error > allowed;
        largest = error > largest ? error : largest;
        largest_b = b > largest_b ? b : largest_b;
        max_ratio = ratio > max_ratio ? ratio : max_ratio;
        Base::store(ratio, ratios + i);
      }
      own.add_to(all);
    }
    Base::take_larger(largest, all.largest_difference);
    Base::take_larger(largest_b, all.largest_b);
    double found_ratio = 0;
    Base::take_larger(max_ratio, found_ratio);
    return {all, Base::count_of(differing), Base::count_of(beyond), found_ratio};
  }

  [[gnu::always_inline]] static BlockSquares squares(const FloatBlock& block) {
    BlockSquares all;
    Numbers most{};
    for (std::size_t lane = 0; lane < lanes; lane += width) {
      Numbers squares{};
      for (std::size_t i = lane; i < block.count; i += lanes) {
        Numbers some;
        load(some, block.a, i);
        squares += some * some;
        Base::make_absolute(some);
        most = some > most ? some : most;
      }
      Base::add(squares, all.sum);
    }
    Base::take_larger(most, all.largest);
    return all;
  }

  [[gnu::always_inline]] static std::size_t worst(const FloatBlock& block, const double* ratios,
                                                  double ratio) {
    std::size_t found = 0;
    double most = 0;
    for (std::size_t first = 0; first < block.count; first += lanes) {
      // In groups, which need no branch for each number.
      Words is_any{};
      for (std::size_t i = first; i < first + lanes; i += width) {
        Numbers some;
        load(some, ratios, i);
        is_any |= some == ratio;
      }
      if (!Base::is_any(is_any)) continue;
      for (std::size_t i = first; i < first + lanes; ++i) {
        if (ratios[i] != ratio) continue;
        const double error = std::abs(float_at(block.a, i) - float_at(block.b, i));
        if (error <= most) continue;
        most = error;
        found = i;
      }
    }
    return found;
  }

  [[gnu::always_inline]] static double relative(const FloatBlock& block, double floor) {
    Numbers most{};
    for (std::size_t i = 0; i < block.count; i += width) {
      Numbers a, b;
      load(a, block.a, i);
      load(b, block.b, i);
      Numbers error = a - b;
      Base::make_absolute(error);
      Base::make_absolute(b);
      const Numbers least = Numbers{} + floor;
      const Numbers ratio = error / (b > least ? b : least);
      most = ratio > most ? ratio : most;
    }
    double found = 0;
    Base::take_larger(most, found);
    return found;
  }

  using Floats = typename Vectors::Floats;
  using Ints = typename Vectors::Ints;
  using Counts = typename Vectors::Counts;
  static constexpr std::size_t floats = 2 * width;

  template <class Place>
  [[gnu::always_inline]] static RowSteps steps(const FloatBlock& block) {
    constexpr std::int32_t sign_bit = std::numeric_limits<std::int32_t>::min();
    Ints others{};
    Ints most = Ints{} + sign_bit;
    for (std::size_t i = 0; i < block.count; i += floats) {
      Floats a, b;
      std::memcpy(&a, block.a + i * sizeof(float), sizeof a);
      std::memcpy(&b, block.b + i * sizeof(float), sizeof b);
      Ints place_a, place_b;
      find_places<Place>(a, place_a, others);
      find_places<Place>(b, place_b, others);
      const auto flip = reinterpret_cast<Counts>(Ints(place_a < place_b));
      const Counts apart =
          ((reinterpret_cast<Counts>(place_a) - reinterpret_cast<Counts>(place_b)) ^ flip) - flip;
      const Ints signed_apart = reinterpret_cast<Ints>(apart) ^ sign_bit;
      most = signed_apart > most ? signed_apart : most;
    }
    RowSteps all;
    std::int32_t found = 0;
    for (std::size_t i = 0; i < floats; ++i) {
      found |= others[i];
      all.most = std::max(all.most, static_cast<std::uint32_t>(most[i] ^ sign_bit));
    }
    all.is_exact = found == 0;
    return all;
  }
};

// One set of functions per instruction set; the bodies above are inlined into them.
struct Baseline {
  using Kernels = RowsIn<TwoLanes>;
  static RowSums sums(const FloatBlock& block, const Tolerance& tolerance, double* ratios) {
    return Kernels::sums(block, tolerance, ratios);
  }
  static std::size_t worst(const FloatBlock& block, const double* ratios, double ratio) {
    return Kernels::worst(block, ratios, ratio);
  }
  static BlockSquares squares(const FloatBlock& block) { return Kernels::squares(block); }
  static double relative(const FloatBlock& block, double floor) {
    return Kernels::relative(block, floor);
  }
  template <class Place>
  static RowSteps steps(const FloatBlock& block) {
    return Kernels::steps<Place>(block);
  }
};

#if defined(__x86_64__)
// Without FMA, which would change the last digits of sums.
struct Avx2 {
  using Kernels = RowsIn<FourLanes>;
  [[gnu::target("avx2")]] static RowSums sums(const FloatBlock& block, const Tolerance& tolerance,
                                              double* ratios) {
    return Kernels::sums(block, tolerance, ratios);
  }
  [[gnu::target("avx2")]] static std::size_t worst(const FloatBlock& block, const double* ratios,
                                                   double ratio) {
    return Kernels::worst(block, ratios, ratio);
  }
  [[gnu::target("avx2")]] static BlockSquares squares(const FloatBlock& block) {
    return Kernels::squares(block);
  }
  [[gnu::target("avx2")]] static double relative(const FloatBlock& block, double floor) {
    return Kernels::relative(block, floor);
  }
  template <class Place>
  [[gnu::target("avx2")]] static RowSteps steps(const FloatBlock& block) {
    return Kernels::steps<Place>(block);
  }
};
#endif

template <class Set>
constexpr RowKernels kernels_of{&Set::sums,
                                &Set::worst,
                                &Set::squares,
                                &Set::relative,
                                &Set::template steps<FloatPlace>,
                                &Set::template steps<Bfloat16Place>,
                                &Set::template steps<HalfPlace>};

}  // namespace

const RowKernels& row_kernels([[maybe_unused]] bool baseline) noexcept {
#if defined(__x86_64__)
  if (has_avx2() && !baseline) return kernels_of<Avx2>;
#endif
  return kernels_of<Baseline>;
}

}  // namespace safestructures::inline v0::comparing
