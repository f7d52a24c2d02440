/// \file
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#pragma once

#include <cstdint>

namespace safestructures::inline v0::platform {

/// The increment of the state before each output.
constexpr std::uint64_t split_mix_step = 0x9E3779B97F4A7C15U;

/// Returns the output for a state. States that differ in one bit give unrelated outputs.
constexpr std::uint64_t split_mix(std::uint64_t state) noexcept {
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31U);
}

}  // namespace safestructures::inline v0::platform
