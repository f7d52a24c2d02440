// Detects faults of rotary embeddings: pairs rotated by other angles, or other pairs.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/suspicions/suspicion.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using Complex = std::complex<double>;

/// The numbers of the last dimension that are rotated together, in blocks of one head.
struct Pairs {
  std::size_t block = 0;
  bool are_neighbours = false;

  [[nodiscard]] std::size_t first(std::size_t pair) const {
    const std::size_t half = block / 2;
    return pair / half * block + (are_neighbours ? pair % half * 2 : pair % half);
  }
  [[nodiscard]] std::size_t second(std::size_t pair) const {
    return first(pair) + (are_neighbours ? 1 : block / 2);
  }
  [[nodiscard]] Complex in(std::span<const double> row, std::size_t pair) const {
    return {row[first(pair)], row[second(pair)]};
  }
};

/// Returns how much the lengths of the pairs differ from those of the input, relative to them: 0 if
/// the pairs were rotated. Looks at every `step`th row.
double not_turned(const Case& one, const std::vector<double>& of, const Pairs& pairs,
                  std::size_t step) {
  double errors = 0;
  double squares = 0;
  for (std::size_t i = 0; i < one.rows(); i += step)
    for (std::size_t pair = 0; pair < one.width() / 2; ++pair) {
      const double input = std::norm(pairs.in(one.row(one.input, i), pair));
      const double length = std::norm(pairs.in(one.row(of, i), pair));
      const double apart = std::sqrt(length) - std::sqrt(input);
      errors += apart * apart;
      squares += input;
    }
  return squares > 0 ? errors / squares : HUGE_VAL;
}

// Rounding to F16 leaves 1e-7 of the squares.
constexpr double is_turned = 1e-5;
constexpr double is_other = 1e-3;

/// The side that rotates neighbours, if the other does not.
enum class NeighboursOf { neither, a, b };

NeighboursOf neighbours_of(const Case& one, std::size_t step) {
  // Neighbours are the same pairs for every block size.
  const Pairs neighbours{one.width(), true};
  const double of_a = not_turned(one, one.a, neighbours, step);
  const double of_b = not_turned(one, one.b, neighbours, step);
  if (of_a < is_turned && of_b > is_other) return NeighboursOf::a;
  return of_b < is_turned && of_a > is_other ? NeighboursOf::b : NeighboursOf::neither;
}

/// Whether the other side rotates pairs that are half a block apart.
bool turns_halves(const Case& one, NeighboursOf side, std::size_t block, std::size_t step) {
  const Pairs halves{block, false};
  const bool is_of_a = side == NeighboursOf::a;
  return not_turned(one, is_of_a ? one.b : one.a, halves, step) < is_turned &&
         not_turned(one, is_of_a ? one.a : one.b, halves, step) > is_other;
}

/// Detects that each pair of a is b's, rotated by an angle of the pair. Looks at every `step`th
/// row.
std::optional<Suspicion> turned(const Case& one, const Pairs& pairs, std::size_t step) {
  double error = 0;
  for (std::size_t i = 0; i < one.rows(); i += step) error += one.by_row[i].errors;
  if (error == 0) return std::nullopt;
  double residual = 0;
  double furthest = 0;
  double first_angle = 0;
  for (std::size_t pair = 0; pair < one.width() / 2; ++pair) {
    Complex products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < one.rows(); i += step) {
      const Complex b = pairs.in(one.row(one.b, i), pair);
      products += pairs.in(one.row(one.a, i), pair) * std::conj(b);
      squares += std::norm(b);
    }
    if (squares == 0) {
      // Rotated zeros stay zeros.
      for (std::size_t i = 0; i < one.rows(); i += step)
        residual += std::norm(pairs.in(one.row(one.a, i), pair));
      continue;
    }
    const double length = std::abs(products) / squares;
    if (std::abs(length - 1) > 0.02) return std::nullopt;
    const Complex turn = products / squares / length;
    if (pair == 0) first_angle = std::arg(turn);
    furthest = std::max(furthest, std::abs(std::arg(turn)));
    for (std::size_t i = 0; i < one.rows(); i += step)
      residual +=
          std::norm(pairs.in(one.row(one.a, i), pair) - turn * pairs.in(one.row(one.b, i), pair));
    if (residual > 1.0001 * (1 - explains_from) * error) return std::nullopt;
  }
  // Half a turn of all pairs is a change of sign; the first pair rotates most.
  if (std::abs(first_angle) < 0.5 * std::min(furthest, 1.0)) return std::nullopt;
  if (1 - residual / error < explains_from || furthest > 0.999 * std::numbers::pi)
    return std::nullopt;
  std::string evidence = fmt::format(
      "every pair of a is b's, turned by one angle at all positions: the first by {:.3f}",
      first_angle);
  if (const double whole = std::round(first_angle);
      whole != 0 && std::abs(first_angle - whole) < 0.01)
    evidence += fmt::format(", as an offset of {:.0f} makes it", whole);
  return Suspicion{"position offset", std::move(evidence), 1 - residual / error};
}

/// Whether a bias explains about as much: if all rows are nearly the same, so are they after any
/// turn.
bool is_bias(const Case& one, double explained) {
  const double residual = after_bias(one, mean_row_of_difference(one));
  return 1 - explained >= 0.5 * (1 - one.explained(residual));
}

/// Whether groups of two pairs have equal lengths: neighbours and their counterparts half a block
/// away. Rotating either kind of pairs by any angles keeps these lengths; another direction of a
/// row does not.
bool keeps_groups(const Case& one, std::size_t block) {
  const std::size_t half = block / 2;
  const std::size_t groups = one.rows() * (one.width() / 4);
  double errors = 0;
  double squares = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < one.rows(); ++i)
    for (std::size_t group = 0; group < one.width() / 4; ++group) {
      const std::size_t first = group / (half / 2) * block + group % (half / 2) * 2;
      const auto length = [&](const std::vector<double>& of) {
        const auto row = one.row(of, i);
        return std::hypot(std::hypot(row[first], row[first + 1]),
                          std::hypot(row[first + half], row[first + half + 1]));
      };
      const double b = length(one.b);
      const double apart = length(one.a) - b;
      errors += apart * apart;
      squares += b * b;
      others += apart * apart > is_turned * b * b ? 1U : 0U;
    }
  // Beside a few large numbers that are equal, the sums do not tell.
  return errors < is_turned * squares && others <= groups / 10;
}

/// Whether they do in blocks of some size.
bool keeps_groups(const Case& one) {
  for (std::size_t block = 4; block <= one.width(); block += 4)
    if (one.width() % block == 0 && keeps_groups(one, block)) return true;
  return false;
}

/// Without the input: position 0 is equal, all others are rotated.
std::optional<Suspicion> turned_but_first(const Case& one) {
  double furthest = 0;
  for (const CaseSums& row : one.by_row) {
    if (row.squares == 0) {
      if (row.errors != 0) return std::nullopt;
      continue;
    }
    furthest = std::max(furthest, std::abs(std::sqrt(row.squares_of_a() / row.squares) - 1));
    if (furthest > 2e-3) return std::nullopt;
  }
  for (std::size_t dimension = 0; dimension + 1 < one.shape.size(); ++dimension) {
    if (one.shape[dimension] < 4 || !one.is_whole(dimension)) continue;
    std::vector<double> errors;
    for (const CaseSums& index : one.along(dimension)) errors.push_back(index.errors);
    const auto [least, most] = std::ranges::minmax(std::span(errors).subspan(1));
    if (errors[0] > 1e-6 * least || least < 1e-3 * most) continue;
    // The rows of a norm also have equal norms, and a causal model's output for its first token is
    // equal.
    if (!keeps_groups(one)) return std::nullopt;
    return Suspicion{"RoPE interleaving",
                     fmt::format("index 0 of dimension {} is equal, all others have b's norms (to "
                                 "{:.1e}) and other directions: other pairs are turned, or by "
                                 "other angles",
                                 dimension, furthest),
                     std::nullopt};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Suspicion> suspect_offset(const Case& one) {
  // At least six rows for each angle.
  if (one.rows() < 6 || !one.has_whole_rows()) return std::nullopt;
  for (std::size_t block = one.width(); block >= 4; --block) {
    if (one.width() % block != 0 || block % 2 != 0) continue;
    for (const bool are_neighbours : {false, true}) {
      // They are the same for every block size.
      if (are_neighbours && block != one.width()) continue;
      const Pairs pairs{block, are_neighbours};
      // A few rows rule out most pairs.
      if (!turned(one, pairs, few_rows(one))) continue;
      auto found = turned(one, pairs, 1);
      if (found && !is_bias(one, *found->explained)) return found;
    }
  }
  return std::nullopt;
}

std::optional<Suspicion> suspect_rotation(const Case& one) {
  if (one.width() < 4 || one.width() % 2 != 0 || !one.has_whole_rows()) return std::nullopt;
  // A few rows rule out most pairs.
  const NeighboursOf side =
      one.has_like_input() && neighbours_of(one, few_rows(one)) != NeighboursOf::neither
          ? neighbours_of(one, 1)
          : NeighboursOf::neither;
  for (std::size_t block = 4; side != NeighboursOf::neither && block <= one.width(); block += 2) {
    if (one.width() % block != 0 || !turns_halves(one, side, block, few_rows(one)) ||
        !turns_halves(one, side, block, 1))
      continue;
    const bool of_a = side == NeighboursOf::a;
    return Suspicion{"RoPE interleaving",
                     fmt::format("in heads of {}, {} turns neighbours (2i and 2i + 1), {} what is "
                                 "{} apart: the lengths of these pairs are the input's",
                                 block, of_a ? "a" : "b", of_a ? "b" : "a", block / 2),
                     std::nullopt};
  }
  return turned_but_first(one);
}

}  // namespace safestructures::inline v0::comparing
