// Detects equal numbers in other places: blocks, interleaving, a transposed weight, a shift.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/suspicions/suspicion.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Returns the squared error if index i of a dimension of a is index `order[i]` of b.
double residual_of(const Case& one, const Case::Axis& axis, const std::vector<std::size_t>& order) {
  double sum = 0;
  for (std::size_t o = 0; o < axis.outer; ++o)
    for (std::size_t i = 0; i < axis.size; ++i)
      for (std::size_t k = 0; k < axis.inner; ++k) {
        const double error = one.a[axis.at(o, i, k)] - one.b[axis.at(o, order[i], k)];
        sum += error * error;
      }
  return sum;
}

/// Neighbours become halves of blocks of a given size, or the reverse.
struct Interleaving {
  std::size_t block = 0;
  bool to_halves = false;

  [[nodiscard]] std::size_t operator()(std::size_t i) const {
    const std::size_t within = i % block;
    const std::size_t start = i - within;
    return start + (to_halves ? within / 2 + within % 2 * (block / 2)
                              : within % (block / 2) * 2 + within / (block / 2));
  }
  [[nodiscard]] std::vector<std::size_t> order(std::size_t size) const {
    std::vector<std::size_t> all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = (*this)(i);
    return all;
  }
};

/// Returns some numbers of every index of a dimension, row by row: enough to tell indices apart.
std::vector<double> samples(const std::vector<double>& numbers, const Case::Axis& axis,
                            std::size_t count) {
  std::vector<double> found(axis.size * count);
  for (std::size_t i = 0; i < axis.size; ++i)
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t place = s * (axis.outer * axis.inner) / count;
      found[i * count + s] = numbers[axis.at(place / axis.inner, i, place % axis.inner)];
    }
  return found;
}

/// Returns how many numbers of each index are tried before all: enough to tell indices apart, and
/// few enough in total to try every permutation quickly.
std::size_t sample_count(const Case::Axis& axis) {
  constexpr std::size_t most = 256;
  constexpr std::size_t least = 2;
  constexpr std::size_t most_in_all = 4096;
  return std::min(axis.outer * axis.inner, std::clamp(most_in_all / axis.size, least, most));
}

// Heads and pairs are in smaller dimensions; a permutation of a larger one takes seconds to try.
constexpr std::size_t most_ordered = 65'536;

/// Whether a permutation brings samples of a's indices, `count` of each, nearer to b's than they
/// are. Stops early and allocates nothing, since a size has many blocks and most permutations fail
/// after a few indices.
/// \param before their squared distance
bool may_be(const std::vector<double>& a, const std::vector<double>& b, std::size_t count,
            const Interleaving& order, double before) {
  if (before == 0) return true;
  double after = 0;
  for (std::size_t i = 0; i < a.size() / count && after < 0.5 * before; ++i)
    after += squared_distance(std::span(a).subspan(i * count, count),
                              std::span(b).subspan(order(i) * count, count));
  return after < 0.5 * before;
}

/// Returns the squared distance of two blocks, or stops once it exceeds `most`.
double distance_up_to(std::span<const double> a, std::span<const double> b, double most) {
  constexpr std::size_t piece = 256;
  double sum = 0;
  for (std::size_t i = 0; i < a.size() && sum <= most; i += piece) {
    const std::size_t count = std::min(piece, a.size() - i);
    sum += squared_distance(a.subspan(i, count), b.subspan(i, count));
  }
  return sum;
}

/// Returns for each block of a the nearest block of b; empty if that is not a permutation, or is
/// the identity.
/// \param before the squared distance of a and b
std::vector<std::size_t> nearest_blocks(std::span<const double> a, std::span<const double> b,
                                        std::size_t blocks, double before) {
  const std::size_t length = a.size() / blocks;
  std::vector<std::size_t> order(blocks);
  std::vector<bool> is_taken(blocks);
  bool is_moved = false;
  // A permutation has to explain at least half of the difference.
  double left = (1 - seems_from) * before;
  for (std::size_t i = 0; i < blocks; ++i) {
    double least = left;
    bool is_any = false;
    for (std::size_t j = 0; j < blocks; ++j) {
      const double apart =
          distance_up_to(a.subspan(i * length, length), b.subspan(j * length, length), least);
      // Heads that share their keys are equal: each of a's gets a different one of b's.
      const bool is_free = is_any && is_taken[order[i]] && !is_taken[j];
      if (apart > least || (is_any && apart == least && !is_free)) continue;
      least = apart;
      order[i] = j;
      is_any = true;
    }
    left -= least;
    if (!is_any || is_taken[order[i]]) return {};
    is_taken[order[i]] = true;
    is_moved = is_moved || order[i] != i;
  }
  if (!is_moved) return {};
  return order;
}

/// Returns the first rows, less their mean.
std::vector<double> centred(const Case& one, const std::vector<double>& of, std::size_t rows) {
  const std::size_t width = one.width();
  std::vector<double> made(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(rows * width));
  std::vector<double> means(width);
  for (std::size_t i = 0; i < made.size(); ++i)
    means[i % width] += made[i] / static_cast<double>(rows);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] -= means[i % width];
  return made;
}

/// Returns y xᵀ.
std::vector<double> products(const Case& one, const std::vector<double>& y,
                             const std::vector<double>& x, std::size_t rows) {
  std::vector<double> found(rows * rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) found[i * rows + j] = dot(one.row(y, i), one.row(x, j));
  return found;
}

/// Returns the squared distance of a square matrix from the transpose of another.
double distance_to_transpose(std::span<const double> matrix, std::span<const double> other,
                             std::size_t rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) {
      const double error = matrix[i * rows + j] - other[j * rows + i];
      sum += error * error;
    }
  return sum;
}

/// Detects that a at an index is b at the previous or next one, in what both have beyond `base`.
std::optional<Suspicion> shifted(const Case& one, std::size_t dimension, std::ptrdiff_t by,
                                 const std::vector<double>* base) {
  const Case::Axis axis = one.axis(dimension);
  if (axis.size < 4 || !one.is_whole(dimension)) return std::nullopt;
  double residual = 0;
  double error = 0;
  std::size_t nearer = 0;
  std::size_t further = 0;
  // The slow waves of a position embedding change by less from one position to the next.
  const double rounding = relative_half_steps(one);
  // Above this, the error is not explained; the ends are not part of it.
  const double most = 1.0001 * (1 - explains_from) * one.all.errors;
  for (std::size_t o = 0; o < axis.outer; ++o)
    for (std::size_t i = 0; i < axis.size; ++i) {
      const std::ptrdiff_t other = static_cast<std::ptrdiff_t>(i) + by;
      if (other < 0 || other >= static_cast<std::ptrdiff_t>(axis.size)) continue;
      if (residual > most) return std::nullopt;
      for (std::size_t k = 0; k < axis.inner; ++k) {
        const std::size_t here = axis.at(o, i, k);
        const std::size_t there = axis.at(o, static_cast<std::size_t>(other), k);
        double apart = one.a[here] - one.b[there];
        if (base != nullptr) apart -= (*base)[here] - (*base)[there];
        const double before = one.a[here] - one.b[here];
        residual += apart * apart;
        error += before * before;
        const double lost = rounding * (std::abs(one.a[here]) + std::abs(one.b[there]));
        nearer += std::abs(apart) + lost < std::abs(before) ? 1U : 0U;
        further += std::abs(apart) > std::abs(before) + lost ? 1U : 0U;
      }
    }
  // A large number at one end of b is moved out: without a shift, that explains the error, too.
  if (error == 0 || 1 - residual / error < explains_from ||
      nearer < std::max<std::size_t>(3 * further, 2))
    return std::nullopt;
  return Suspicion{"position offset",
                   fmt::format("{} at index i of dimension {} equals {} at i {} 1",
                               base == nullptr ? "a" : "what a adds to its input", dimension,
                               base == nullptr ? "b" : "what b adds", by > 0 ? "+" : "-"),
                   1 - residual / error};
}

}  // namespace

std::optional<Suspicion> suspect_interleaving(const Case& one) {
  const std::size_t rank = one.shape.size();
  // Pairs are in the last dimension, or in the rows of a matrix: the weights that make them. Along
  // other dimensions, two alternating heads or groups of channels look the same.
  for (std::size_t dimension = rank > 2 ? rank - 1 : 0; dimension < rank; ++dimension) {
    const Case::Axis axis = one.axis(dimension);
    if (axis.size < 4 || axis.size > most_ordered || !one.is_whole(dimension)) continue;
    const std::size_t count = sample_count(axis);
    const std::vector<double> a = samples(one.a, axis, count);
    const std::vector<double> b = samples(one.b, axis, count);
    const double before = squared_distance(a, b);
    for (std::size_t block = 4; block <= axis.size; block += 2) {
      if (axis.size % block != 0) continue;
      for (const bool to_halves : {true, false}) {
        const Interleaving order{block, to_halves};
        if (!may_be(a, b, count, order, before)) continue;
        const double residual = residual_of(one, axis, order.order(axis.size));
        if (one.explained(residual) < explains_from) continue;
        return Suspicion{"RoPE interleaving",
                         fmt::format("in blocks of {} along dimension {}, {} of a are {} of b",
                                     block, dimension, to_halves ? "neighbours" : "the halves",
                                     to_halves ? "the halves" : "neighbours"),
                         one.explained(residual)};
      }
    }
  }
  return std::nullopt;
}

std::optional<Suspicion> suspect_blocks(const Case& one) {
  constexpr std::size_t most_blocks = 64;
  for (std::size_t dimension = one.shape.size(); dimension-- > 0;) {
    const Case::Axis axis = one.axis(dimension);
    if (axis.size < 2 || axis.size > most_ordered || !one.is_whole(dimension)) continue;
    const std::size_t count = sample_count(axis);
    const std::vector<double> a = samples(one.a, axis, count);
    const std::vector<double> b = samples(one.b, axis, count);
    const double before = squared_distance(a, b);
    for (std::size_t blocks = 2; blocks <= std::min(axis.size, most_blocks); ++blocks) {
      // Single numbers match by chance.
      if (axis.size % blocks != 0 || a.size() / blocks < 4) continue;
      const std::vector<std::size_t> found = nearest_blocks(a, b, blocks, before);
      if (found.empty()) continue;
      const std::size_t length = axis.size / blocks;
      std::vector<std::size_t> order(axis.size);
      for (std::size_t i = 0; i < axis.size; ++i)
        order[i] = found[i / length] * length + i % length;
      const double residual = residual_of(one, axis, order);
      if (one.explained(residual) < explains_from) continue;
      // Two swapped indices or blocks may be heads.
      const bool is_reversed =
          blocks > 2 && length == 1 && std::ranges::is_sorted(found, std::greater<>());
      return Suspicion{is_reversed ? "reversed order" : "permuted heads",
                       fmt::format("dimension {} in {} blocks of {}: the blocks of a are b's {}",
                                   dimension, blocks, length, fmt::join(found, ", ")),
                       one.explained(residual)};
    }
  }
  return std::nullopt;
}

std::optional<Suspicion> suspect_transpose(const Case& one) {
  if (!one.permutation.empty())
    return Suspicion{
        "transposed tensor",
        fmt::format("b is a with its dimensions in the order {}", fmt::join(one.permutation, ", ")),
        std::nullopt};
  // If y = x W and z = x Wᵀ, then y xᵀ is the transpose of z xᵀ, whatever the number of rows. A
  // bias adds the same to all rows, so it vanishes when the mean of the rows is subtracted.
  const std::size_t rows = std::min<std::size_t>(one.rows(), 64);
  if (!one.has_like_input() || !one.has_whole_rows() || rows < 4) return std::nullopt;
  const std::vector<double> x = centred(one, one.input, rows);
  const std::vector<double> y_by_x = products(one, centred(one, one.a, rows), x, rows);
  const std::vector<double> z_by_x = products(one, centred(one, one.b, rows), x, rows);
  const double residual = distance_to_transpose(y_by_x, z_by_x, rows);
  const double all = squared_distance(y_by_x, z_by_x);
  // These are fourth powers of the numbers, which may overflow where their squares do not.
  if (all == 0 || !std::isfinite(all) || 1 - residual / all < 0.99) return std::nullopt;
  return Suspicion{"transposed weight",
                   fmt::format("with x the input's {} rows less their mean, a xT is the transpose "
                               "of b xT",
                               rows),
                   1 - residual / all};
}

std::optional<Suspicion> suspect_shift(const Case& one) {
  // A shift of single numbers along the last dimension is not one of positions.
  const std::size_t dimensions = std::max<std::size_t>(one.shape.size(), 2) - 1;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension)
    for (const std::ptrdiff_t by : {1, -1}) {
      if (auto found = shifted(one, dimension, by, nullptr)) return found;
      if (one.has_like_input())
        if (auto found = shifted(one, dimension, by, &one.input)) return found;
    }
  return std::nullopt;
}

}  // namespace safestructures::inline v0::comparing
