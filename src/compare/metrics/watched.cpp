#include "compare/metrics/watched.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace safestructures::inline v0::comparing {
namespace {

// Sampling takes a hundredth of the total time, more for a few thousand numbers, and the sample's
// 99th percentile is near that of all. With full tables, 4,000 numbers took five times as long.
constexpr std::uint64_t least_size = 1024;
constexpr std::uint64_t sampled_of = 128;
constexpr std::uint64_t least_sampled = 64;
constexpr std::uint64_t most_sampled = 4096;
// Each place is a read of a file, so larger samples have longer runs instead of more places.
constexpr std::uint64_t least_together = 16;
constexpr std::uint64_t most_places = 64;
// More than a quotient can gain by rounding.
constexpr double almost = 1 - 0x1p-50;

void read(const Tensor& tensor, std::uint64_t first, std::span<double> numbers) {
  tensor.copy_elements(first, numbers.size(), DType::F64, std::as_writable_bytes(numbers),
                       Overflow::allow);
}

using Double = std::numeric_limits<double>;

/// Same as std::ilogb, which took a tenth of the time of 64 numbers.
int exponent_of(long double number) {
  if (!(number >= static_cast<long double>(Double::min()) &&
        number <= static_cast<long double>(Double::max())))
    return std::ilogb(number);
  const auto rounded = static_cast<double>(number);
  const std::uint64_t is_above = static_cast<long double>(rounded) > number ? 1 : 0;
  return static_cast<int>((std::bit_cast<std::uint64_t>(rounded) - is_above) >> 52U) - 1023;
}

/// \param exponent of the mean square
int floor_of(int exponent) {
  // A power of two, so that numbers with the same exponent are all above or all below it. The root
  // of a number in [4^k, 4^(k + 1)) is in [2^k, 2^(k + 1)).
  return std::clamp((exponent >> 1) - 8, Double::min_exponent - 1, Double::max_exponent - 1);
}

/// Returns the widths at which steps are counted. Numbers of opposite signs are so far apart that,
/// if they are about 1 % of all, the guess may be the largest width or a third less.
StepWidths widths_beside(const Guess& guess) {
  constexpr unsigned together = std::tuple_size_v<StepWidths> - 1;
  const unsigned least = std::clamp(guess.bits, 5U, 28U) - 3;
  StepWidths widths;
  for (unsigned k = 0; k < together; ++k) widths[k] = least + k;
  widths[together] = std::clamp(guess.most_bits, least + together, 33U);
  return widths;
}

}  // namespace

int floor_exponent_of(long double mean_square) { return floor_of(exponent_of(mean_square)); }

int floor_exponent_of(double squares, std::uint64_t count) {
  // No division, whose rounding might add one.
  constexpr unsigned fraction_bits = Double::digits - 1;
  constexpr std::uint64_t fraction = (std::uint64_t{1} << fraction_bits) - 1;
  const auto over = std::bit_cast<std::uint64_t>(squares);
  const auto under = std::bit_cast<std::uint64_t>(static_cast<double>(count));
  return floor_of(static_cast<int>(over >> fraction_bits) -
                  static_cast<int>(under >> fraction_bits) -
                  ((over & fraction) < (under & fraction) ? 1 : 0));
}

std::optional<Guess> guess_of(const Tensor& a, const Tensor& b, const Grid& grid) {
  const std::uint64_t size = a.size();
  for (const Tensor* tensor : {&a, &b})
    if (size < least_size || tensor->block_elements(least_together) > least_together)
      return std::nullopt;
  const std::uint64_t sampled = std::clamp(size / sampled_of, least_sampled, most_sampled);
  const std::uint64_t places = std::min(most_places, sampled / least_together);
  const auto together = static_cast<std::size_t>(sampled / places);
  std::vector<double> numbers_a(together), numbers_b(together);
  std::vector<unsigned> bits;
  long double squares = 0;
  std::uint64_t finite = 0;
  for (std::uint64_t place = 0; place < places; ++place) {
    const std::uint64_t first = size / places * place / 8 * 8;
    read(a, first, numbers_a);
    read(b, first, numbers_b);
    for (std::size_t i = 0; i < together; ++i) {
      if (!std::isfinite(numbers_a[i]) || !std::isfinite(numbers_b[i])) continue;
      ++finite;
      squares += static_cast<long double>(numbers_b[i]) * static_cast<long double>(numbers_b[i]);
      const std::int64_t steps = grid.place(numbers_a[i]) - grid.place(numbers_b[i]);
      bits.push_back(static_cast<unsigned>(
          std::bit_width(static_cast<std::uint64_t>(steps < 0 ? -steps : steps))));
    }
  }
  // If all numbers are zero or close to it, the floor is that of all doubles.
  if (squares < 0x1p-400L) return std::nullopt;
  // One rank lower: in a small sample, the picked one is more often a rare one, and more widths are
  // counted above the guess than below it.
  const auto common =
      bits.begin() + static_cast<std::ptrdiff_t>(std::min(bits.size() / 100 + 1, bits.size() - 1));
  std::ranges::nth_element(bits, common, std::greater());
  return Guess{.floor_exponent = floor_exponent_of(squares / static_cast<long double>(finite)),
               .bits = *common,
               .most_bits = std::ranges::max(bits)};
}

Watched::Watched(const Guess& guess)
    : least_floor_(guess.floor_exponent - floors_beside), widths_(widths_beside(guess)) {
  for (std::size_t k = 0; k < floors_.size(); ++k)
    floors_[k] = std::ldexp(1.0, least_floor_ + static_cast<int>(k));
}

FloatWatch Watched::watch(const Tolerance& tolerance, double ratio) const {
  return {.tolerance = tolerance, .ratio = ratio, .absolute = absolute_, .relative = relative_};
}

void Watched::take_new(double error, double reference) {
  // Above all floors the relative error is the same for each; if the sides differ by a factor, all
  // have it.
  if (reference >= floors_.back() && error / reference <= largest_.back()) return;
  for (std::size_t k = 0; k < floors_.size(); ++k)
    largest_[k] = std::max(largest_[k], error / std::max(reference, floors_[k]));
  set_limits();
}

void Watched::set_limits() {
  // With floor f, an error is |a - b| / max(|b|, f). The largest one falls as f grows, but no
  // faster than 1 / f. So for any floor, an error is nothing new if it is at most the largest for
  // the lowest floor, times that floor, or at most the largest for the highest floor, times |b|.
  absolute_ = largest_.front() * floors_.front();
  relative_ = largest_.back() * almost;
}

void Watched::take(const FloatSteps& steps) {
  differing_ += steps.differing;
  for (std::size_t k = 0; k < at_least_.size(); ++k) at_least_[k] += steps.at_least[k];
}

void Watched::merge(const Watched& other) {
  for (std::size_t k = 0; k < largest_.size(); ++k)
    largest_[k] = std::max(largest_[k], other.largest_[k]);
  set_limits();
  differing_ += other.differing_;
  for (std::size_t k = 0; k < at_least_.size(); ++k) at_least_[k] += other.at_least_[k];
}

std::optional<double> Watched::relative(int floor_exponent) const {
  const int k = floor_exponent - least_floor_;
  if (k < 0 || k >= static_cast<int>(largest_.size())) return std::nullopt;
  return largest_[static_cast<std::size_t>(k)];
}

std::optional<std::uint64_t> Watched::at_least(unsigned bits) const {
  if (bits == 1) return differing_;
  const auto found = std::ranges::find(widths_, bits);
  if (found == widths_.end()) return std::nullopt;
  return at_least_[static_cast<std::size_t>(found - widths_.begin())];
}

}  // namespace safestructures::inline v0::comparing
