/// \file
/// Vectors of doubles for kernels of several instruction sets. They are no wider than the
/// processor's: for wider ones GCC 12 emits scalar comparisons. They are passed by reference only,
/// because the calling convention by value depends on the instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace safestructures::inline v0::platform {

/// The numbers processed together, whatever the vector width: each lane has its own sums, so
/// results do not depend on the width.
inline constexpr std::size_t lanes = 8;

/// Supported by every processor.
struct TwoLanes {
  static constexpr std::size_t width = 2;
  using Numbers [[gnu::vector_size(16)]] = double;
  using Words [[gnu::vector_size(16)]] = std::int64_t;
  using UnsignedWords [[gnu::vector_size(16)]] = std::uint64_t;
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
  using UnsignedWords [[gnu::vector_size(32)]] = std::uint64_t;
  using HalfFloats [[gnu::vector_size(16)]] = float;
  using HalfInts [[gnu::vector_size(16)]] = std::int32_t;
  using Floats [[gnu::vector_size(32)]] = float;
  using Ints [[gnu::vector_size(32)]] = std::int32_t;
  using Counts [[gnu::vector_size(32)]] = std::uint32_t;
  using Shorts [[gnu::vector_size(32)]] = std::int16_t;
  using UnsignedShorts [[gnu::vector_size(32)]] = std::uint16_t;
};
#endif

/// Operations on vectors of numbers.
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

}  // namespace safestructures::inline v0::platform
