// Detects a vector that is added to every row.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "compare/suspicions/suspicion.hpp"

namespace safestructures::inline v0::comparing {

std::vector<double> mean_row_of_difference(const Case& one) {
  std::vector<double> means(one.width());
  for (std::size_t i = 0; i < one.rows(); ++i) {
    const auto of_a = one.row(one.a, i);
    const auto of_b = one.row(one.b, i);
    for (std::size_t j = 0; j < means.size(); ++j) means[j] += of_a[j] - of_b[j];
  }
  for (double& mean : means) mean /= static_cast<double>(one.rows());
  return means;
}

double after_bias(const Case& one, std::span<const double> bias) {
  // Subtracting the mean reduces the sum of squares by this.
  return std::max(one.all.errors - static_cast<double>(one.rows()) * dot(bias, bias), 0.0);
}

std::optional<Suspicion> suspect_bias(const Case& one) {
  const std::size_t rows = one.rows();
  if (rows < 4) return std::nullopt;
  const std::vector<double> bias = mean_row_of_difference(one);
  const double residual = after_bias(one, bias);
  if (!leaves_rounding(one, residual)) return std::nullopt;
  return Suspicion{"missing bias",
                   fmt::format("a - b is the same in all {} rows, its norm {:.3g}", rows,
                               std::sqrt(dot(bias, bias))),
                   one.explained(residual)};
}

}  // namespace safestructures::inline v0::comparing
