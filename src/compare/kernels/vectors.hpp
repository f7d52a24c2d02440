/// \file
/// What the kernels of several instruction sets share.
#pragma once

#include <cstdint>

#include "platform/vectors.hpp"

namespace safestructures::inline v0::comparing {

using platform::Lanes;
using platform::lanes;
using platform::TwoLanes;
#if defined(__x86_64__)
using platform::FourLanes;
using platform::has_avx2;
#endif

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
