#include "cli/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "compare/metrics/side.hpp"

namespace safestructures::cli {
namespace {

using comparing::Common;
using comparing::Side;

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

/// Returns the distance of two numbers of the last range that both sides loaded.
double distance(const Side& a, const Side& b, Common common, std::size_t i) {
  if (common == Common::integer) return std::fabs(difference(a.integer(i), b.integer(i)));
  if (common == Common::real) return distance(a.numbers[i], b.numbers[i]);
  const double real = distance(a.numbers[2 * i], b.numbers[2 * i]);
  const double imaginary = distance(a.numbers[2 * i + 1], b.numbers[2 * i + 1]);
  return std::min(real, imaginary) < 0 ? -1 : std::hypot(real, imaginary);
}

void fill(const Tensor& a, const Tensor& b, HeatMap& map) {
  const Common common = comparing::common_of(a.dtype(), b.dtype());
  const auto room = static_cast<std::size_t>(std::min(block, a.size()));
  Side left(a, common, room);
  Side right(b, common, room);
  for (std::uint64_t first = 0; first < a.size(); first += room) {
    const std::uint64_t count = std::min<std::uint64_t>(room, a.size() - first);
    for (Side* const side : {&left, &right}) {
      side->read(first, count);
      side->load(first, count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const double found = distance(left, right, common, i);
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
  fill(a, b, map);
  return map;
}

}  // namespace safestructures::cli
