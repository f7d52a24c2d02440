#include "compare/metrics/transpose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::comparing {
namespace {

// 120 permutations.
constexpr std::size_t most_dimensions = 5;
constexpr std::size_t sample_size = 64;
// The limit if nearly all numbers are the same: among 30,000 numbers of which 20 are not zero, it
// finds two or three.
constexpr std::size_t most_drawn = 4096;
// Relative to the spread of the numbers about their mean: by chance, no unrelated tensors are
// nearer, including masks and numbers near 1.
constexpr double near = 0.1;
// Relative to the distance without permuting.
constexpr double nearer = 0.1;
// Permutations that are tried on all numbers: a sample with few distinct ones cannot tell them
// apart.
constexpr std::size_t most_tried = 8;
// Larger tensors are not loaded to permute them.
constexpr std::uint64_t most_held = std::uint64_t{64} << 20U;

bool can_be_read(const Tensor& tensor) { return bit_width(tensor.dtype()) >= 8; }

using Number = std::complex<double>;

Number number_at(const Tensor& tensor, std::uint64_t index) {
  const auto read = [&](DType dtype, auto value) {
    tensor.copy_elements(index, 1, dtype, std::as_writable_bytes(std::span(&value, 1)),
                         Overflow::allow);
    return Number(value);
  };
  return tensor.dtype() == DType::C64 ? read(DType::C64, std::complex<float>())
                                      : read(DType::F64, 0.0);
}

bool is_finite(const Number& number) {
  return std::isfinite(number.real()) && std::isfinite(number.imag());
}

/// A sample of b's elements, and the places of their counterparts in a permuted a.
class Sample {
 public:
  Sample(const Tensor& a, const Tensor& b) : a_(a), shape_(b.shape()) {
    // The whole tensor if it is small.
    if (b.size() <= sample_size)
      for (std::uint64_t index = 0; index < b.size(); ++index) add(index, number_at(b, index));
    else draw(b);
  }

  /// Returns their distance relative to the spread of b's numbers about their mean; null if these
  /// are all the same. Ignores numbers that are not finite.
  [[nodiscard]] std::optional<double> distance(std::span<const std::size_t> order) const {
    double errors = 0;
    double squares = 0;
    Number sum;
    std::size_t count = 0;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const Number a = number_at(a_, index_in_a(indices_[i], order));
      if (!is_finite(a) || !is_finite(numbers_[i])) continue;
      const Number b = numbers_[i] - numbers_.front();
      errors += std::norm(a - numbers_[i]);
      squares += std::norm(b);
      sum += b;
      ++count;
    }
    const double spread =
        squares - std::norm(sum) / static_cast<double>(std::max<std::size_t>(count, 1));
    if (!(spread > 0) || !std::isfinite(errors / spread)) return std::nullopt;
    return std::sqrt(errors / spread);
  }

 private:
  /// The first number is finite, because the others are taken relative to it.
  void add(std::uint64_t index, const Number& number) {
    if (numbers_.empty() && !is_finite(number)) return;
    indices_.push_back(index);
    numbers_.push_back(number);
  }

  /// Half of the sample is random; the rest differs from the first number, if any do.
  void draw(const Tensor& b) {
    std::mt19937_64 random(1);
    for (std::size_t drawn = 0; drawn < most_drawn && indices_.size() < sample_size; ++drawn) {
      const std::uint64_t index = random() % b.size();
      const Number number = number_at(b, index);
      if (drawn < sample_size / 2 || numbers_.empty() || number != numbers_.front())
        add(index, number);
    }
  }

  [[nodiscard]] std::uint64_t index_in_a(std::uint64_t index,
                                         std::span<const std::size_t> order) const {
    std::array<std::uint64_t, most_dimensions> steps{};
    std::uint64_t step = 1;
    for (std::size_t dim = order.size(); dim-- > 0;) {
      steps[dim] = step;
      step *= a_.shape()[dim];
    }
    std::uint64_t found = 0;
    for (std::size_t dim = order.size(); dim-- > 0;) {
      found += index % shape_[dim] * steps[order[dim]];
      index /= shape_[dim];
    }
    return found;
  }

  const Tensor& a_;
  const Shape& shape_;
  std::vector<std::uint64_t> indices_;
  std::vector<Number> numbers_;
};

}  // namespace

std::string Transpose::text() const {
  return fmt::format("b is a permuted by [{}]{}{}", fmt::join(order, ", "),
                     relative_l2 == 0 ? std::string(", exactly")
                                      : fmt::format(", to a relative L2 of {:.2e}", relative_l2),
                     is_whole ? "" : " in a sample");
}

std::optional<Transpose> find_transpose(const Tensor& a, const Tensor& b,
                                        const std::optional<double>& as_it_is) {
  const std::size_t rank = a.rank();
  if (rank < 2 || rank > most_dimensions || rank != b.rank() || a.size() != b.size() ||
      a.size() < 2 || !can_be_read(a) || !can_be_read(b))
    return std::nullopt;
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::ranges::is_permutation(a.shape().span(), b.shape().span())) return std::nullopt;
  const Sample sample(a, b);
  double bound = near;
  if (a.shape() == b.shape())
    if (const auto own = sample.distance(order)) bound = std::min(bound, nearer * *own);
  std::vector<Transpose> seen;
  while (std::ranges::next_permutation(order).found) {
    bool fits = true;
    for (std::size_t i = 0; i < rank; ++i) fits = fits && b.shape()[i] == a.shape()[order[i]];
    if (!fits) continue;
    const auto distance = sample.distance(order);
    if (distance && *distance <= bound) seen.push_back(Transpose{order, *distance, false});
  }
  if (seen.empty()) return std::nullopt;
  std::ranges::stable_sort(seen, {}, &Transpose::relative_l2);
  if (!a.is_loaded() && a.byte_size() > most_held) return seen.front();
  seen.resize(std::min(seen.size(), most_tried));
  const Tensor held = a.is_loaded() ? a : a.clone();
  const TensorStatistics numbers = statistics(b);
  const double spread =
      numbers.standard_deviation * std::sqrt(static_cast<double>(numbers.finite()));
  std::optional<Transpose> best;
  for (Transpose& one : seen) {
    const TensorMetrics found = compare_tensors(held.permute(one.order), b);
    if (!found.relative_l2 || *found.relative_l2 * found.norm_b > near * spread ||
        (as_it_is && *found.relative_l2 > nearer * *as_it_is) ||
        (best && *found.relative_l2 >= best->relative_l2))
      continue;
    best = Transpose{std::move(one.order), *found.relative_l2, true};
    if (best->relative_l2 == 0) break;
  }
  return best;
}

}  // namespace safestructures::inline v0::comparing
