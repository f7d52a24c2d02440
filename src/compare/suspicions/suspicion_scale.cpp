// Detects wrong factors, and inputs that are added: a scale, a norm's epsilon, a residual.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/suspicions/suspicion.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Returns a factor so that it is not shown as 1. \param less_1 the factor less 1
std::string factor_text(double factor, double less_1) {
  if (std::abs(less_1) >= 1e-4) return fmt::format("{:.6g}", factor);
  return fmt::format("1 {} {:.3g}", less_1 < 0 ? "-" : "+", std::abs(less_1));
}

/// Returns `the square root of 64` if a size or a divisor of one has that root.
std::string root_text(double factor, const Case& one) {
  const double ratio = factor >= 1 ? factor : 1 / factor;
  const double square = ratio * ratio;
  const double whole = std::round(square);
  // F16 keeps three digits.
  if (whole < 2 || whole > 1e9 || std::abs(square / whole - 1) > 2e-3) return {};
  const auto number = static_cast<std::size_t>(whole);
  const auto divides = [&](std::uint64_t size) { return size % number == 0; };
  if (!std::ranges::any_of(one.grid.dimensions(), divides, &IndexGrid::Indices::size) &&
      !std::ranges::any_of(one.input_shape, divides))
    return {};
  return fmt::format(", {}the square root of {}", factor >= 1 ? "" : "one over ", number);
}

/// A straight line through points, and how well it fits.
struct Line {
  double slope = 0;
  double correlation = 0;
  double spread = 0;  // The spread of x.
};

Line line_through(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::reduce(x.begin(), x.end()) / n;
  const double mean_y = std::reduce(y.begin(), y.end()) / n;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  Line line{.spread = std::sqrt(xx / n)};
  if (xx > 0) line.slope = xy / xx;
  if (xx > 0 && yy > 0) line.correlation = xy / std::sqrt(xx * yy);
  return line;
}

/// Whether factors have one sign; those that are small relative to the largest do not count.
bool have_one_sign(const std::vector<double>& factors) {
  double least = 0;
  double most = 0;
  for (const double factor : factors) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  return std::min(-least, most) < 0.02 * std::max(-least, most);
}

/// Counts the numbers of b that factors bring nearer to a's, and nearer than 0 is: one that is far
/// larger than all others decides the sums alone.
struct Nearer {
  std::size_t numbers = 0;  // Other than zero.
  std::size_t nearer = 0;

  void add(std::span<const double> a, std::span<const double> b, double factor) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      numbers += b[i] != 0 ? 1U : 0U;
      const double apart = std::abs(a[i] - factor * b[i]);
      nearer += apart < std::abs(a[i] - b[i]) && apart < std::abs(a[i]) ? 1U : 0U;
    }
  }
  [[nodiscard]] bool are_most() const { return nearer >= 4 && 2 * nearer >= numbers; }
};

// Fewer numbers would be explained by a fitted factor whatever they are.
constexpr std::size_t numbers_of_factor = 4;

/// Whether the factors bring most numbers nearer in the rows that they change at all, and by more
/// than rounding can hide.
bool are_factors_of_most(const Case& one, double furthest) {
  const double least = std::max(0.02 * furthest, relative_half_steps(one));
  Nearer found;
  std::size_t factors = 0;
  for (std::size_t i = 0; i < one.rows(); ++i) {
    const double apart = one.by_row[i].factor_less_1();
    if (std::abs(apart) <= least) continue;
    found.add(one.row(one.a, i), one.row(one.b, i), 1 + apart);
    ++factors;
  }
  // Any row with a single number other than zero is a multiple of another.
  return found.are_most() && found.numbers >= numbers_of_factor * factors;
}

/// Without an input: each row of a is b's times a factor of its own.
std::optional<Suspicion> rows_by_factors(const Case& one) {
  std::vector<double> apart;
  double residual = 0;
  double nearest = HUGE_VAL;
  double furthest = 0;
  bool are_above = false;
  for (const CaseSums& row : one.by_row) {
    if (row.squares == 0) {
      residual += row.errors;
      continue;
    }
    residual += row.after_factor();
    apart.push_back(row.factor_less_1());
    nearest = std::min(nearest, std::abs(apart.back()));
    if (std::abs(apart.back()) <= furthest) continue;
    furthest = std::abs(apart.back());
    // Small ones may have the other sign.
    are_above = apart.back() > 0;
  }
  // A common factor is a different fault, and a norm cannot be off by larger factors, nor by
  // negative ones.
  if (one.explained(residual) < explains_from || residual > 0.5 * one.all.after_factor() ||
      apart.size() < 3 || !have_one_sign(apart) || furthest > (are_above ? 4 : 1))
    return std::nullopt;
  // A norm cannot give rows of zeros next to equal rows.
  if (std::ranges::none_of(apart,
                           [&](double factor) {
                             return std::abs(factor) > 0.02 * furthest &&
                                    std::abs(factor) < 0.98 * furthest;
                           }) ||
      !are_factors_of_most(one, furthest))
    return std::nullopt;
  return Suspicion{"norm epsilon",
                   fmt::format("each row is b's times a factor of its own, {:.3g} to {:.3g} {} 1",
                               nearest, furthest, are_above ? "above" : "below"),
                   one.explained(residual)};
}

std::vector<double> difference_of(const Case& one) {
  std::vector<double> difference(one.a.size());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = one.a[i] - one.b[i];
  return difference;
}

/// The input's rows, with or without their means subtracted, and their mean squares.
struct NormInput {
  std::vector<double> numbers;
  std::vector<double> squares;
};

NormInput norm_input(const Case& one, bool is_centred) {
  NormInput made{one.input, {}};
  const auto width = static_cast<double>(one.width());
  for (std::size_t i = 0; i < one.rows(); ++i) {
    const auto row = std::span(made.numbers).subspan(i * one.width(), one.width());
    const double mean = is_centred ? std::reduce(row.begin(), row.end()) / width : 0;
    for (double& number : row) number -= mean;
    made.squares.push_back(dot(row, row) / width);
  }
  return made;
}

/// Factors of rows and columns that produce numbers from an input.
struct OuterFactors {
  std::vector<double> by_row;  ///< For the rows that are looked at.
  std::vector<double> by_column;
  double explained = 0;
};

/// Fits by alternating least squares, over every `step`th row. It starts near, since weights are
/// similar.
OuterFactors outer_factors(const Case& one, const std::vector<double>& of,
                           const std::vector<double>& input, std::size_t step) {
  const std::size_t width = one.width();
  OuterFactors found{std::vector<double>((one.rows() + step - 1) / step),
                     std::vector<double>(width, 1)};
  const auto factor = [](double product, double square) {
    return square > 0 ? product / square : 0;
  };
  std::vector<double> products(width);
  std::vector<double> squares(width);
  for (int turn = 0; turn < 12; ++turn) {
    std::ranges::fill(products, 0);
    std::ranges::fill(squares, 0);
    for (std::size_t i = 0; i < found.by_row.size(); ++i) {
      const auto y = one.row(of, i * step);
      const auto x = one.row(input, i * step);
      double product = 0;
      double square = 0;
      for (std::size_t j = 0; j < width; ++j) {
        const double model = x[j] * found.by_column[j];
        product += model * y[j];
        square += model * model;
      }
      found.by_row[i] = factor(product, square);
      for (std::size_t j = 0; j < width; ++j) {
        const double model = x[j] * found.by_row[i];
        products[j] += model * y[j];
        squares[j] += model * model;
      }
    }
    for (std::size_t j = 0; j < width; ++j) found.by_column[j] = factor(products[j], squares[j]);
  }
  double residual = 0;
  double all = 0;
  for (std::size_t i = 0; i < found.by_row.size(); ++i) {
    const auto y = one.row(of, i * step);
    const auto x = one.row(input, i * step);
    for (std::size_t j = 0; j < width; ++j) {
      const double left = y[j] - found.by_row[i] * found.by_column[j] * x[j];
      residual += left * left;
    }
    all += dot(y, y);
  }
  found.explained = all > 0 ? 1 - residual / all : 0;
  return found;
}

/// Whether there are enough numbers for each fitted factor of a row or column.
bool has_enough(const Case& one) {
  return one.a.size() >= numbers_of_factor * (one.rows() + one.width());
}

/// Whether at least as many numbers differ as factors are fitted, which explain fewer whatever they
/// are. Rounding may hide an epsilon in most rows.
bool differ_enough(const Case& one) { return one.all.differing >= one.rows() + one.width(); }

/// Whether b is its input times a factor, or times factors of rows and columns as in a norm.
bool is_scaled_input(const Case& one, double squares) {
  constexpr double little = 0.01;
  const double own = dot(one.b, one.input) / squares;
  return squared_distance(one.b, one.input, own) < little * one.all.squares ||
         (has_enough(one) && outer_factors(one, one.b, one.input, 1).explained > 1 - little);
}

/// a - b as the input times one factor.
struct TimesInput {
  double factor = 0;
  double explained = 0;
};

/// Returns null if it is not, or if b is its input times factors: then those are the fault.
std::optional<TimesInput> times_input(const Case& one, const std::vector<double>& difference) {
  const double squares = dot(one.input, one.input);
  if (squares == 0) return std::nullopt;
  const double factor = dot(difference, one.input) / squares;
  const double explained = one.explained(squared_distance(difference, one.input, factor));
  if (explained < explains_from || is_scaled_input(one, squares)) return std::nullopt;
  return TimesInput{factor, explained};
}

/// Whether a - b contains more of the input than an epsilon causes in rows of similar size.
bool is_residual(const Case& one, const std::vector<double>& difference) {
  constexpr double most_of_epsilon = 0.2;
  const auto found = times_input(one, difference);
  return found && std::abs(found->factor) *
                          std::sqrt(dot(one.input, one.input) / static_cast<double>(one.a.size())) >
                      most_of_epsilon;
}

/// Whether a - b, as the input's columns times factors, is part of what b's numbers follow the
/// input's by from row to row, as with a norm's weight if all rows have one size. Factors of
/// another weight, or of rows that are nearly the same, are others; and no norm loses nearly all.
bool are_of_weight(const Case& one, const std::vector<double>& factors) {
  const auto rows = static_cast<double>(one.rows());
  double product = 0;
  double squares = 0;
  double squares_of_b = 0;
  for (std::size_t j = 0; j < one.width(); ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < one.rows(); ++i) mean += one.row(one.input, i)[j] / rows;
    double spread = 0;
    double common = 0;
    for (std::size_t i = 0; i < one.rows(); ++i) {
      const double apart = one.row(one.input, i)[j] - mean;
      spread += apart * apart;
      common += apart * one.row(one.b, i)[j];
    }
    if (spread == 0) continue;
    product += factors[j] * common;
    squares += factors[j] * factors[j] * spread;
    squares_of_b += common * common / spread;
  }
  return std::abs(product) > 0.9 * std::sqrt(squares * squares_of_b) &&
         product > -0.9 * squares_of_b;
}

/// With the input: a - b is its rows times a factor of each row and one of each column, which is
/// the norm's weight. Neither includes a bias.
std::optional<Suspicion> rows_by_input(const Case& one, const std::vector<double>& difference,
                                       bool is_centred) {
  const NormInput input = norm_input(one, is_centred);
  // A few rows rule out most inputs that are not a norm's.
  if (outer_factors(one, difference, input.numbers, few_rows(one)).explained < seems_from)
    return std::nullopt;
  auto [by_row, by_column, explained] = outer_factors(one, difference, input.numbers, 1);
  if (explained < explains_from || !have_one_sign(by_row)) return std::nullopt;
  std::vector<double> variances;
  std::vector<double> factors;
  for (std::size_t i = 0; i < by_row.size(); ++i) {
    if (input.squares[i] == 0 || by_row[i] == 0) continue;
    variances.push_back(std::log(input.squares[i]));
    factors.push_back(std::log(std::abs(by_row[i])));
  }
  // An epsilon affects every row, although rounding may hide it in most.
  if (variances.size() < std::max<std::size_t>(one.rows() / 8, 3)) return std::nullopt;
  // d (v + e)^-1/2 / de is proportional to v^-3/2; a common factor would give v^-1/2.
  const Line line = line_through(variances, factors);
  if (line.spread > 0.1 && (line.slope > -1 || line.slope < -2.2 || line.correlation > -0.8))
    return std::nullopt;
  const auto [least, most] = std::ranges::minmax(variances);
  std::string evidence = fmt::format(
      "a - b is the input times a factor for each row: the {} of a row is {:.3g} to "
      "{:.3g}",
      is_centred ? "variance" : "mean square", std::exp(least), std::exp(most));
  if (line.spread > 0.1)
    evidence += fmt::format(
        ", and the factors go with its power of {:.2f}, where an epsilon gives -1.5", line.slope);
  else {
    const double mean =
        std::reduce(by_row.begin(), by_row.end()) / static_cast<double>(by_row.size());
    for (double& factor : by_column) factor *= mean;
    if (!leaves_rounding(one, (1 - explained) * one.all.errors) || !are_of_weight(one, by_column) ||
        suspect_scale(one) || is_residual(one, difference))
      return std::nullopt;
  }
  return Suspicion{"norm epsilon", std::move(evidence), explained};
}

}  // namespace

std::optional<Suspicion> suspect_scale(const Case& one) {
  if (!leaves_rounding(one, one.all.after_factor())) return std::nullopt;
  // If the factor is near 0, a - b is little more than -b, and sums of it lose a's digits.
  const double factor = dot(one.a, one.b) / one.all.squares;
  const double residual = squared_distance(one.a, one.b, factor);
  if (factor == 0 || !(residual <= (1 - explains_from) * dot(one.a, one.a))) return std::nullopt;
  Nearer found;
  found.add(one.a, one.b, factor);
  if (!found.are_most()) return std::nullopt;
  std::string evidence = "a is b times " + factor_text(factor, one.all.factor_less_1());
  if (factor < 0) evidence += ": the sign differs";
  else evidence += root_text(factor, one);
  return Suspicion{"missing scale", std::move(evidence), one.explained(residual)};
}

std::optional<Suspicion> suspect_epsilon(const Case& one) {
  if (one.rows() < 3 || one.width() < numbers_of_factor) return std::nullopt;
  if (one.has_like_input() && one.has_whole_rows() && has_enough(one) && differ_enough(one)) {
    const std::vector<double> difference = difference_of(one);
    auto centred = rows_by_input(one, difference, true);
    auto plain = rows_by_input(one, difference, false);
    // Rows whose means are small are nearly the same after centring.
    if (plain && (!centred || *plain->explained > *centred->explained)) return plain;
    if (centred) return centred;
  }
  return rows_by_factors(one);
}

std::optional<Suspicion> suspect_residual(const Case& one) {
  if (!one.has_like_input() || one.a.size() < 4) return std::nullopt;
  const auto found = times_input(one, difference_of(one));
  if (!found || std::abs(std::abs(found->factor) - 1) > 0.05) return std::nullopt;
  return Suspicion{"wrong residual",
                   fmt::format("a - b is the input times {:.4g}: {}", found->factor,
                               found->factor < 0 ? "a lacks it" : "a adds it once more"),
                   found->explained};
}

}  // namespace safestructures::inline v0::comparing
