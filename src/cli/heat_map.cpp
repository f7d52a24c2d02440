#include "cli/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

namespace safestructures::cli {
namespace {

constexpr std::size_t most_rows = 96;
constexpr std::size_t most_columns = 192;
constexpr std::uint64_t block = std::uint64_t{1} << 14U;

/// Returns |a - b|; 0 if both are NaN or the same infinity; -1 if otherwise one of them is not
/// finite.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return -1;
  // Written with three digits, the largest double would become infinite.
  return std::min(std::fabs(a - b), 1.79e308);
}

double distance(std::complex<float> a, std::complex<float> b) {
  const double real = distance(static_cast<double>(a.real()), static_cast<double>(b.real()));
  const double imaginary = distance(static_cast<double>(a.imag()), static_cast<double>(b.imag()));
  return std::min(real, imaginary) < 0 ? -1 : std::hypot(real, imaginary);
}

template <class Number>
void fill(const Tensor& a, const Tensor& b, DType dtype, HeatMap& map) {
  std::vector<Number> left(static_cast<std::size_t>(std::min(block, a.size())));
  std::vector<Number> right(left.size());
  for (std::uint64_t first = 0; first < a.size(); first += left.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(left.size(), a.size() - first);
    const auto size = static_cast<std::size_t>(count);
    a.copy_elements(first, count, dtype, std::as_writable_bytes(std::span(left).first(size)),
                    Overflow::allow);
    b.copy_elements(first, count, dtype, std::as_writable_bytes(std::span(right).first(size)),
                    Overflow::allow);
    for (std::size_t i = 0; i < size; ++i) {
      const double found = distance(left[i], right[i]);
      if (found == 0) continue;
      const auto place = [](std::uint64_t at, std::uint64_t of, std::size_t cells) {
        return static_cast<std::size_t>(at * cells / of);
      };
      const std::uint64_t at = first + i;
      double& cell =
          map.cells[place(at / map.tensor_columns, map.tensor_rows, map.rows) * map.columns +
                    place(at % map.tensor_columns, map.tensor_columns, map.columns)];
      if (cell >= 0) cell = found < 0 ? found : std::max(cell, found);
    }
  }
}

}  // namespace

HeatMap heat_map(const Tensor& a, const Tensor& b) {
  HeatMap map;
  if (!a.shape().empty()) map.tensor_columns = a.shape()[a.shape().size() - 1];
  map.tensor_rows = a.size() / map.tensor_columns;
  map.rows = static_cast<std::size_t>(std::min<std::uint64_t>(most_rows, map.tensor_rows));
  map.columns = static_cast<std::size_t>(std::min<std::uint64_t>(most_columns, map.tensor_columns));
  map.cells.resize(map.rows * map.columns);
  if (a.dtype() == DType::C64 || b.dtype() == DType::C64)
    fill<std::complex<float>>(a, b, DType::C64, map);
  else fill<double>(a, b, DType::F64, map);
  return map;
}

}  // namespace safestructures::cli
