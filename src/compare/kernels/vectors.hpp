/// \file
/// Vectors no wider than the processor's: for wider ones GCC 12 emits scalar comparisons. They are
/// passed by reference only, because the calling convention by value depends on the instruction
/// set.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace safestructures::inline v0::comparing {

/// The numbers processed together, whatever the vector width: each lane has its own sums, so
/// results do not depend on the width.
inline constexpr std::size_t lanes = 8;

/// Supported by every processor.
struct TwoLanes {
  static constexpr std::size_t width = 2;
  using Numbers [[gnu::vector_size(16)]] = double;
  using Words [[gnu::vector_size(16)]] = std::int64_t;
  using HalfFloats [[gnu::vector_size(8)]] = float;
  using HalfInts [[gnu::vector_size(8)]] = std::int32_t;
  using Floats [[gnu::vector_size(16)]] = float;
  using Ints [[gnu::vector_size(16)]] = std::int32_t;
  using Counts [[gnu::vector_size(16)]] = std::uint32_t;
  using Shorts [[gnu::vector_size(16)]] = std::int16_t;
  using UnsignedShorts [[gnu::vector_size(16)]] = std::uint16_t;
};

#if defined(__x86_64__)
inline bool has_avx2() noexcept {
  static const bool answer = __builtin_cpu_supports("avx2") != 0;
  return answer;
}

struct FourLanes {
  static constexpr std::size_t width = 4;
  using Numbers [[gnu::vector_size(32)]] = double;
  using Words [[gnu::vector_size(32)]] = std::int64_t;
  using HalfFloats [[gnu::vector_size(16)]] = float;
  using HalfInts [[gnu::vector_size(16)]] = std::int32_t;
  using Floats [[gnu::vector_size(32)]] = float;
  using Ints [[gnu::vector_size(32)]] = std::int32_t;
  using Counts [[gnu::vector_size(32)]] = std::uint32_t;
  using Shorts [[gnu::vector_size(32)]] = std::int16_t;
  using UnsignedShorts [[gnu::vector_size(32)]] = std::uint16_t;
};
#endif

/// Operations that kernels perform on vectors of numbers.
template <class Vectors>
struct Lanes {
  static constexpr std::size_t width = Vectors::width;
  using Numbers = typename Vectors::Numbers;
  using Words = typename Vectors::Words;

  [[gnu::always_inline]] static void load(Numbers& numbers, std::span<const double> from,
                                          std::size_t at) {
    std::memcpy(&numbers, from.data() + at, sizeof numbers);
  }
  /// Loads floats, possibly unaligned.
  [[gnu::always_inline]] static void load(Numbers& numbers, const std::byte* from, std::size_t at) {
    std::array<float, width> some;
    std::memcpy(&some, from + at * sizeof(float), sizeof some);
    numbers = Numbers{};
    // For __builtin_convertvector, GCC 12 stores and reloads four of them, which takes a third
    // longer overall.
    for (std::size_t i = 0; i < width; ++i) numbers[i] = static_cast<double>(some[i]);
  }
  [[gnu::always_inline]] static void store(const Numbers& numbers, double* to) {
    std::memcpy(to, &numbers, sizeof numbers);
  }
  [[gnu::always_inline]] static void make_absolute(Numbers& numbers) {
    numbers = reinterpret_cast<Numbers>(reinterpret_cast<Words>(numbers) &
                                        std::numeric_limits<std::int64_t>::max());
  }
  /// Zeroes the numbers whose mask is not set.
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
  /// Ignores zeros.
  [[gnu::always_inline]] static void take_smaller(const Numbers& numbers, Numbers& least) {
    choose((numbers < least) & (numbers != 0.0), numbers, least);
  }
  [[gnu::always_inline]] static void take_larger(const Numbers& numbers, double& most) {
    for (std::size_t i = 0; i < width; ++i) most = std::max(most, numbers[i]);
  }
  [[gnu::always_inline]] static void add(const Numbers& numbers, double& sum) {
    for (std::size_t i = 0; i < width; ++i) sum += numbers[i];
  }
  /// Returns how often a mask was set, given the sum of the masks.
  [[gnu::always_inline]] static std::uint64_t count_of(const Words& masks) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < width; ++i) count -= masks[i];
    return static_cast<std::uint64_t>(count);
  }
  [[gnu::always_inline]] static bool is_any(const Words& mask) {
    std::int64_t found = 0;
    for (std::size_t i = 0; i < width; ++i) found |= mask[i];
    return found != 0;
  }
};

/// The sums over both sides from which all metrics are computed, one per lane.
template <class Vectors>
struct ErrorSums {
  using Base = Lanes<Vectors>;
  using Numbers = typename Vectors::Numbers;

  Numbers errors{}, absolute{}, squares{}, a_squares{}, b_squares{}, square_difference{};

  /// \param error a - b on entry; its magnitude on return
  [[gnu::always_inline]] void add(const Numbers& a, const Numbers& b, Numbers& error) {
    errors += error;
    squares += error * error;
    a_squares += a * a;
    b_squares += b * b;
    square_difference += error * (a + b);
    Base::make_absolute(error);
    absolute += error;
  }
  template <class Sums>
  [[gnu::always_inline]] void add_to(Sums& all) const {
    Base::add(errors, all.errors);
    Base::add(absolute, all.absolute);
    Base::add(squares, all.squares);
    Base::add(a_squares, all.a_squares);
    Base::add(b_squares, all.b_squares);
    Base::add(square_difference, all.square_difference);
  }
};

/// Maps a magnitude, given as a float and its bits, to its rank among the magnitudes of a dtype.
/// `others` is non-zero for numbers that the dtype cannot represent.
/// @{
struct FloatPlace {
  template <class Floats, class Ints>
  [[gnu::always_inline]] static void of(const Floats&, Ints&, Ints&) {}
};
struct Bfloat16Place {
  template <class Floats, class Ints>
  [[gnu::always_inline]] static void of(const Floats&, Ints& bits, Ints& others) {
    others |= bits & 0xFFFF;
    bits >>= 16;
  }
};
struct HalfPlace {
  template <class Floats, class Ints>
  [[gnu::always_inline]] static void of(const Floats& magnitude, Ints& bits, Ints& others) {
    constexpr std::int32_t least_normal = 0x3880'0000;  // 2^-14.
    constexpr std::int32_t infinite = 0x4780'0000;      // 2^16.
    const Ints is_normal = bits >= least_normal;
    // Subnormal numbers are 2^-24 apart.
    const Floats scaled = magnitude * 0x1p24F;
    const Ints counted = __builtin_convertvector(
        reinterpret_cast<Floats>(reinterpret_cast<Ints>(scaled) & ~is_normal), Ints);
    others |= (bits >= infinite) | (is_normal & bits & 0x1FFF) |
              (~is_normal & (__builtin_convertvector(counted, Floats) != scaled));
    bits = (((bits >> 13) - (112 << 10)) & is_normal) | counted;
  }
};
/// @}

/// Computes the rank of each float among all numbers of a dtype, in ascending order.
template <class Place, class Floats, class Ints>
[[gnu::always_inline]] inline void find_places(const Floats& floats, Ints& places, Ints& others) {
  const auto bits = reinterpret_cast<Ints>(floats);
  Ints magnitude = bits & 0x7FFF'FFFF;
  Place::of(reinterpret_cast<Floats>(magnitude), magnitude, others);
  const Ints sign = bits >> 31;
  places = (magnitude ^ sign) - sign;
}

}  // namespace safestructures::inline v0::comparing
