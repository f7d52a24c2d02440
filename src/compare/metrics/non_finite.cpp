#include "compare/metrics/non_finite.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "compare/kernels/vectors.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// How many pairs there are of each two classes of numbers.
struct PairClasses {
  enum Class : std::size_t { finite, nan, positive, negative, classes };

  template <class Number>
  static Class class_of(Number number) {
    if (std::isfinite(number)) return finite;
    if (std::isnan(number)) return nan;
    return number > 0 ? positive : negative;
  }
  [[nodiscard]] NonFiniteCounts counts() const {
    NonFiniteCounts counts;
    counts.nan_both = of[nan][nan];
    counts.infinity_both = of[positive][positive] + of[negative][negative];
    counts.infinity_signs = of[positive][negative] + of[negative][positive];
    const std::uint64_t nan_a = of[nan][positive] + of[nan][negative];
    const std::uint64_t nan_b = of[positive][nan] + of[negative][nan];
    counts.nan_infinity = nan_a + nan_b;
    counts.nan_only_a = of[nan][finite] + nan_a;
    counts.nan_only_b = of[finite][nan] + nan_b;
    counts.infinity_only_a = of[positive][finite] + of[negative][finite] + nan_b;
    counts.infinity_only_b = of[finite][positive] + of[finite][negative] + nan_a;
    return counts;
  }

  std::array<std::array<std::uint64_t, classes>, classes> of{};  // By the classes of a and b.
};

/// Whether all of a group of numbers are finite, without a branch for each.
template <class Number>
bool are_finite(std::span<const Number> numbers) {
  // The sum of 0 for each finite number and NaN for each other one.
  std::array<Number, lanes> sums{};
  for (std::size_t i = 0; i < lanes; ++i) sums[i] = numbers[i] * 0;
  Number sum = 0;
  for (const Number one : sums) sum += one;
  return sum == 0;
}

template <class Number>
NonFinite remove_from(std::span<Number> a, std::span<Number> b) {
  NonFinite removed;
  PairClasses found;
  const auto look = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const PairClasses::Class class_a = PairClasses::class_of(a[i]);
      const PairClasses::Class class_b = PairClasses::class_of(b[i]);
      if (class_a == PairClasses::finite && class_b == PairClasses::finite) continue;
      ++found.of[class_a][class_b];
      ++removed.pairs;
      if (class_a != class_b) removed.first_differing = std::min(removed.first_differing, i);
      a[i] = b[i] = 0;
    }
  };
  std::size_t i = 0;
  for (; i + lanes <= a.size(); i += lanes)
    if (!are_finite<Number>(a.subspan(i, lanes)) || !are_finite<Number>(b.subspan(i, lanes)))
      look(i, i + lanes);
  look(i, a.size());
  removed.counts = found.counts();
  return removed;
}

}  // namespace

NonFinite remove_non_finite(std::span<float> a, std::span<float> b) { return remove_from(a, b); }

NonFinite remove_non_finite(std::span<double> a, std::span<double> b) { return remove_from(a, b); }

void add(const NonFiniteCounts& more, NonFiniteCounts& counts) {
  counts.nan_both += more.nan_both;
  counts.nan_only_a += more.nan_only_a;
  counts.nan_only_b += more.nan_only_b;
  counts.infinity_both += more.infinity_both;
  counts.infinity_only_a += more.infinity_only_a;
  counts.infinity_only_b += more.infinity_only_b;
  counts.infinity_signs += more.infinity_signs;
  counts.nan_infinity += more.nan_infinity;
}

}  // namespace safestructures::inline v0::comparing
