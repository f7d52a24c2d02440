#include "compare/metrics/transpose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <safestructures/compare/metrics.hpp>

namespace safestructures::inline v0::comparing {
namespace {

// 120 orders.
constexpr std::size_t most_dimensions = 5;
constexpr std::size_t sample_size = 64;
// Nearer than that no chance brings tensors of other numbers.
constexpr double near = 0.1;
// More is not held in memory to look at it in another order.
constexpr std::uint64_t most_held = std::uint64_t{64} << 20U;

bool can_be_read(const Tensor& tensor) {
  return bit_width(tensor.dtype()) >= 8 && tensor.dtype() != DType::C64;
}

double number_at(const Tensor& tensor, std::uint64_t index) {
  double value = 0;
  tensor.copy_elements(index, 1, DType::F64, std::as_writable_bytes(std::span(&value, 1)),
                       Overflow::allow);
  return value;
}

/// Elements of b, and where each is in a whose dimensions stand in some order.
class Sample {
 public:
  Sample(const Tensor& a, const Tensor& b) : a_(a), shape_(b.shape()) {
    std::mt19937_64 random(1);
    const std::size_t count = std::min<std::uint64_t>(sample_size, b.size());
    for (std::size_t i = 0; i < count; ++i) {
      // All of a small tensor.
      const std::uint64_t index = b.size() <= sample_size ? i : random() % b.size();
      indices_.push_back(index);
      numbers_.push_back(number_at(b, index));
    }
  }

  /// The relative L2 of what is finite; nothing where that has no meaning.
  [[nodiscard]] std::optional<double> distance(std::span<const std::size_t> order) const {
    double errors = 0;
    double squares = 0;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const double a = number_at(a_, index_in_a(indices_[i], order));
      if (!std::isfinite(a) || !std::isfinite(numbers_[i])) continue;
      errors += (a - numbers_[i]) * (a - numbers_[i]);
      squares += numbers_[i] * numbers_[i];
    }
    if (!(squares > 0) || !std::isfinite(errors / squares)) return std::nullopt;
    return std::sqrt(errors / squares);
  }

 private:
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
  std::vector<double> numbers_;
};

}  // namespace

std::string Transpose::text() const {
  return fmt::format("b is a permuted by [{}]{}{}", fmt::join(order, ", "),
                     relative_l2 == 0 ? std::string(", exactly")
                                      : fmt::format(", to a relative L2 of {:.2e}", relative_l2),
                     is_whole ? "" : " in a sample");
}

std::optional<Transpose> find_transpose(const Tensor& a, const Tensor& b) {
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
    if (const auto as_it_is = sample.distance(order)) bound = std::min(bound, *as_it_is / 10);
  std::optional<Transpose> best;
  while (std::ranges::next_permutation(order).found) {
    bool fits = true;
    for (std::size_t i = 0; i < rank; ++i) fits = fits && b.shape()[i] == a.shape()[order[i]];
    if (!fits) continue;
    const auto distance = sample.distance(order);
    if (!distance || *distance > bound || (best && *distance >= best->relative_l2)) continue;
    best = Transpose{order, *distance, false};
  }
  if (!best || (!a.is_loaded() && a.byte_size() > most_held)) return best;
  const Tensor held = a.is_loaded() ? a : a.clone();
  const TensorMetrics found = compare_tensors(held.permute(best->order), b);
  if (!found.relative_l2 || *found.relative_l2 > near) return std::nullopt;
  best->relative_l2 = *found.relative_l2;
  best->is_whole = true;
  return best;
}

}  // namespace safestructures::inline v0::comparing
