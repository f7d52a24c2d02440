// Factors and summands: a scale, a norm's epsilon, a residual, a bias.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "compare/suspicion.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// `the square root of 64` where a size or a divisor of one has that root.
std::string root_text(double factor, const Case& one) {
  const double ratio = factor >= 1 ? factor : 1 / factor;
  const double square = ratio * ratio;
  const double whole = std::round(square);
  // F16 keeps three digits.
  if (whole < 2 || whole > 1e9 || std::abs(square / whole - 1) > 2e-3) return {};
  const auto number = static_cast<std::size_t>(whole);
  const auto divides = [&](std::size_t size) { return size % number == 0; };
  if (!std::ranges::any_of(one.shape, divides) && !std::ranges::any_of(one.input_shape, divides))
    return {};
  return fmt::format(", {}the square root of {}", factor >= 1 ? "" : "one over ", number);
}

double factor_of(const Case& one) { return one.squared_b > 0 ? one.product / one.squared_b : 0; }

/// A straight line through points, and how well it fits.
struct Line {
  double slope = 0;
  double correlation = 0;
  double spread = 0;  // Of x.
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
  if (xx == 0 || yy == 0) return {};
  return {xy / xx, xy / std::sqrt(xx * yy), std::sqrt(xx / n)};
}

/// Whether factors have one sign; those that are small beside the largest do not count.
bool have_one_sign(const std::vector<double>& factors) {
  double least = 0;
  double most = 0;
  for (const double factor : factors) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  return std::min(-least, most) < 0.02 * std::max(-least, most);
}

/// Without an input: each row of a is b's times a factor of its own.
std::optional<Suspicion> rows_by_factors(const Case& one) {
  std::vector<double> apart;
  double residual = 0;
  double nearest = HUGE_VAL;
  double furthest = 0;
  for (std::size_t i = 0; i < one.rows(); ++i) {
    const auto b = one.row(one.b, i);
    const double squares = dot(b, b);
    if (squares == 0) continue;
    const double factor = dot(one.row(one.a, i), b) / squares;
    residual += squared_distance(one.row(one.a, i), b, factor);
    apart.push_back(factor - 1);
    nearest = std::min(nearest, std::abs(factor - 1));
    furthest = std::max(furthest, std::abs(factor - 1));
  }
  const double all_alike = squared_distance(one.a, one.b, factor_of(one));
  // A factor for all is another fault; so are factors of more than a norm can be off by.
  if (one.explained(residual) < explains_from || residual > 0.5 * all_alike || apart.size() < 3 ||
      !have_one_sign(apart) || furthest > 4)
    return std::nullopt;
  // Rows that are zero beside rows that are equal are no norm's.
  if (std::ranges::none_of(apart, [&](double factor) {
        return std::abs(factor) > 0.02 * furthest && std::abs(factor) < 0.98 * furthest;
      }))
    return std::nullopt;
  return Suspicion{"norm epsilon",
                   fmt::format("each row is b's times a factor of its own, {:.3g} to {:.3g} {} 1",
                               nearest, furthest, apart.front() > 0 ? "above" : "below"),
                   one.explained(residual)};
}

/// The input's rows, with their means taken off or not, and their mean squares.
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

/// With the input: a - b is its rows times a factor for each row, and one for each column, which is
/// the norm's weight. A bias is in neither.
std::optional<Suspicion> rows_by_input(const Case& one, bool is_centred) {
  const NormInput input = norm_input(one, is_centred);
  const std::size_t rows = one.rows();
  const std::size_t width = one.width();
  std::vector<double> by_row(rows);
  std::vector<double> by_column(width, 1);
  const auto at = [&](std::size_t i, std::size_t j) { return i * width + j; };
  const auto fit = [&](bool of_rows) {
    const std::size_t count = of_rows ? rows : width;
    for (std::size_t i = 0; i < count; ++i) {
      double product = 0;
      double square = 0;
      for (std::size_t j = 0; j < (of_rows ? width : rows); ++j) {
        const std::size_t place = of_rows ? at(i, j) : at(j, i);
        const double model = input.numbers[place] * (of_rows ? by_column[j] : by_row[j]);
        product += model * (one.a[place] - one.b[place]);
        square += model * model;
      }
      (of_rows ? by_row : by_column)[i] = square > 0 ? product / square : 0;
    }
  };
  // Least squares in turns: the start is near, as weights are.
  for (int turn = 0; turn < 12; ++turn) {
    fit(true);
    fit(false);
  }
  double residual = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < width; ++j) {
      const double model = by_row[i] * by_column[j] * input.numbers[at(i, j)];
      const double error = one.a[at(i, j)] - one.b[at(i, j)] - model;
      residual += error * error;
    }
  if (one.explained(residual) < explains_from || !have_one_sign(by_row)) return std::nullopt;
  std::vector<double> variances;
  std::vector<double> factors;
  for (std::size_t i = 0; i < rows; ++i) {
    if (input.squares[i] == 0 || by_row[i] == 0) continue;
    variances.push_back(std::log(input.squares[i]));
    factors.push_back(std::log(std::abs(by_row[i])));
  }
  if (variances.size() < 3) return std::nullopt;
  // d (v + e)^-1/2 / de is v^-3/2: a factor for all would give v^-1/2.
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
  else if (suspect_scale(one)) return std::nullopt;
  return Suspicion{"norm epsilon", std::move(evidence), one.explained(residual)};
}

}  // namespace

std::optional<Suspicion> suspect_scale(const Case& one) {
  const double factor = factor_of(one);
  const double residual = squared_distance(one.a, one.b, factor);
  if (one.a.size() < 4 || factor == 0 || one.explained(residual) < explains_from)
    return std::nullopt;
  std::string evidence = fmt::format("a is b times {:.6g}", factor);
  if (factor < 0) evidence += ": another sign";
  else evidence += root_text(factor, one);
  return Suspicion{"missing scale", std::move(evidence), one.explained(residual)};
}

std::optional<Suspicion> suspect_epsilon(const Case& one) {
  // As many numbers as four for each that is fitted.
  if (one.rows() < 3 || one.width() < 4) return std::nullopt;
  if (one.has_like_input() && one.a.size() >= 4 * (one.rows() + one.width()))
    for (const bool is_centred : {true, false})
      if (auto found = rows_by_input(one, is_centred)) return found;
  return rows_by_factors(one);
}

std::optional<Suspicion> suspect_residual(const Case& one) {
  if (!one.has_like_input() || one.a.size() < 4) return std::nullopt;
  std::vector<double> difference(one.a.size());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = one.a[i] - one.b[i];
  const double squares = dot(one.input, one.input);
  if (squares == 0) return std::nullopt;
  const double factor = dot(difference, one.input) / squares;
  const double residual = squared_distance(difference, one.input, factor);
  // Where b is its input but for a factor, that factor is the fault.
  const double own = dot(one.b, one.input) / squares;
  if (one.explained(residual) < explains_from ||
      squared_distance(one.b, one.input, own) < 0.01 * one.squared_b)
    return std::nullopt;
  const bool is_whole = std::abs(std::abs(factor) - 1) < 0.05;
  return Suspicion{"wrong residual",
                   fmt::format("a - b is the input times {:.4g}{}", factor,
                               !is_whole    ? ""
                               : factor < 0 ? ": a lacks it"
                                            : ": a has it once more"),
                   one.explained(residual)};
}

std::optional<Suspicion> suspect_bias(const Case& one) {
  const std::size_t rows = one.rows();
  if (rows < 4) return std::nullopt;
  std::vector<double> means(one.width());
  for (std::size_t i = 0; i < one.a.size(); ++i)
    means[i % one.width()] += (one.a[i] - one.b[i]) / static_cast<double>(rows);
  double residual = 0;
  for (std::size_t i = 0; i < one.a.size(); ++i) {
    const double error = one.a[i] - one.b[i] - means[i % one.width()];
    residual += error * error;
  }
  if (one.explained(residual) < explains_from) return std::nullopt;
  return Suspicion{"missing bias",
                   fmt::format("a - b is the same in all {} rows, its norm {:.3g}", rows,
                               std::sqrt(dot(means, means))),
                   one.explained(residual)};
}

}  // namespace safestructures::inline v0::comparing
