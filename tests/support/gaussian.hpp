/// \file
/// Random numbers distributed like weights and activations.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace safestructures::test {

/// Returns Gaussian numbers, the same for the same seed.
template <class T>
std::vector<T> gaussian(std::size_t count, unsigned seed, double size = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, size);
  std::vector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(normal(random));
  return numbers;
}

}  // namespace safestructures::test
