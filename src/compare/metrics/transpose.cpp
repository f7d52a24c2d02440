#include "compare/metrics/transpose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/tools/statistics.hpp>
#include "compare/metrics/row_detail.hpp"

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

/// A permutation of a's dimensions that gives b, or nearly.
struct Transpose {
  std::vector<std::size_t> order;
  /// The remaining distance; if only a sample was compared, relative to the spread of b's numbers
  /// about their mean.
  double relative_l2 = 0;
  bool is_whole = true;         ///< False if only a sample was compared.
  bool is_finite_alike = true;  ///< False if NaN or infinities are at other places.
};

/// Returns text such as `b is a permuted by [1, 0], exactly`.
std::string transpose_text(const Transpose& found) {
  return fmt::format(
      "b is a permuted by [{}]{}{}{}", fmt::join(found.order, ", "),
      found.relative_l2 == 0 ? std::string(", exactly")
                             : fmt::format(", to a relative L2 of {:.2e}", found.relative_l2),
      found.is_finite_alike ? "" : " where both are finite", found.is_whole ? "" : " in a sample");
}

/// Whether some order of a's dimensions may give b, and can be looked for.
bool can_be_permuted(const Tensor& a, const Tensor& b) {
  const std::size_t rank = a.rank();
  return rank >= 2 && rank <= most_dimensions && rank == b.rank() && a.size() == b.size() &&
         a.size() >= 2 && can_be_read(a) && can_be_read(b) &&
         std::ranges::is_permutation(a.shape().span(), b.shape().span());
}

bool gives_shape(const Shape& a, std::span<const std::size_t> order, const Shape& b) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (b[i] != a[order[i]]) return false;
  return true;
}

/// Whether the elements stay in their order: only dimensions of size 1 change places.
bool moves_nothing(const Shape& shape, std::span<const std::size_t> order) {
  std::size_t last = 0;
  for (const std::size_t dimension : order) {
    if (shape[dimension] == 1) continue;
    if (dimension < last) return false;
    last = dimension;
  }
  return true;
}

/// Returns all permutations that bring a sample near, the nearest first.
std::vector<Transpose> near_in_sample(const Tensor& a, const Tensor& b) {
  std::vector<std::size_t> order(a.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Sample sample(a, b);
  double bound = near;
  if (a.shape() == b.shape())
    if (const auto own = sample.distance(order)) bound = std::min(bound, nearer * *own);
  std::vector<Transpose> found;
  while (std::ranges::next_permutation(order).found) {
    if (!gives_shape(a.shape(), order, b.shape())) continue;
    if (a.shape() == b.shape() && moves_nothing(a.shape(), order)) continue;
    const auto distance = sample.distance(order);
    if (distance && *distance <= bound) found.push_back(Transpose{order, *distance, false});
  }
  std::ranges::stable_sort(found, {}, &Transpose::relative_l2);
  return found;
}

/// Returns the one that is nearest in all elements; null if none is near.
std::optional<Transpose> nearest_as_whole(const Tensor& a, const Tensor& b,
                                          std::span<Transpose> tried,
                                          const std::optional<double>& as_it_is) {
  const Tensor held = a.is_loaded() ? a : a.clone();
  const TensorStatistics numbers = statistics(b);
  const double spread =
      numbers.standard_deviation * std::sqrt(static_cast<double>(numbers.finite()));
  std::optional<Transpose> best;
  for (Transpose& one : tried) {
    const TensorMetrics found = compare_tensors(held.permute(one.order), b);
    if (!found.relative_l2 || *found.relative_l2 * found.norm_b > near * spread ||
        (as_it_is && *found.relative_l2 > nearer * *as_it_is) ||
        (best && *found.relative_l2 >= best->relative_l2))
      continue;
    best = Transpose{std::move(one.order), *found.relative_l2, true,
                     found.non_finite.differing() == 0};
    if (best->relative_l2 == 0) break;
  }
  return best;
}

/// \param as_it_is the relative L2 between the two, if they have one
std::optional<Transpose> find_transpose(const Tensor& a, const Tensor& b,
                                        const std::optional<double>& as_it_is) {
  if (!can_be_permuted(a, b)) return std::nullopt;
  std::vector<Transpose> seen = near_in_sample(a, b);
  if (seen.empty()) return std::nullopt;
  if (!a.is_loaded() && a.byte_size() > most_held) return seen.front();
  seen.resize(std::min(seen.size(), most_tried));
  return nearest_as_whole(a, b, seen, as_it_is);
}

}  // namespace

void recognise_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row) {
  const std::optional<Transpose> found =
      find_transpose(a, b, row.metrics ? row.metrics->relative_l2 : std::nullopt);
  if (!found) return;
  row.permutation = found->order;
  add_detail(row, transpose_text(*found));
}

}  // namespace safestructures::inline v0::comparing
