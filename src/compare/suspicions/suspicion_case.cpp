// Reads two tensors as doubles, and sums over their numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "compare/metrics/ulp.hpp"
#include "compare/suspicions/suspicion.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::comparing {
namespace {

bool can_be_read(const Tensor& tensor) {
  return bit_width(tensor.dtype()) >= 8 && tensor.dtype() != DType::C64 && tensor.size() != 0;
}

void make_room(std::vector<double>& numbers, std::size_t size) {
  if (numbers.capacity() < size) {
    numbers.clear();
    platform::reserve_huge(numbers, size);
  }
  numbers.resize(size);
}

void copy(const Tensor& tensor, std::uint64_t index, std::span<double> numbers) {
  tensor.copy_elements(index, numbers.size(), DType::F64, std::as_writable_bytes(numbers),
                       Overflow::allow);
}

/// Keeps eight sums, so that vector instructions can be used.
template <class Term>
double sum_of(std::size_t size, const Term& term) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= size; i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += term(i + lane);
  for (; i < size; ++i) sums[0] += term(i);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Keeps four sums of each kind, so that vector instructions can be used. Counts are also kept as
/// sums.
CaseSums sums_of(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t side_by_side = 4;
  using Sums = std::array<double, side_by_side>;
  Sums errors{};
  Sums squares{};
  Sums products{};
  Sums differing{};
  Sums masked{};
  const auto take = [&](std::size_t at, std::size_t lane) {
    const double apart = a[at] - b[at];
    errors[lane] += apart * apart;
    squares[lane] += b[at] * b[at];
    products[lane] += apart * b[at];
    differing[lane] += apart != 0 ? 1.0 : 0.0;
    masked[lane] += is_masked(a[at]) != is_masked(b[at]) ? 1.0 : 0.0;
  };
  std::size_t i = 0;
  for (; i + side_by_side <= a.size(); i += side_by_side)
    for (std::size_t lane = 0; lane < side_by_side; ++lane) take(i + lane, lane);
  for (; i < a.size(); ++i) take(i, 0);
  const auto all_of = [](const Sums& sums) { return std::reduce(sums.begin(), sums.end()); };
  return {all_of(errors), all_of(squares), all_of(products),
          static_cast<std::size_t>(all_of(differing)), static_cast<std::size_t>(all_of(masked))};
}

/// Returns the sum of squares that rounding to both dtypes may leave.
double rounding(const Case& one) {
  const auto share = [](DType dtype) {
    return relative_half_step(dtype) * relative_half_step(dtype);
  };
  return share(one.dtype_a) * one.all.squares_of_a() + share(one.dtype_b) * one.all.squares;
}

}  // namespace

void CaseSums::add(const CaseSums& others) noexcept {
  errors += others.errors;
  squares += others.squares;
  product += others.product;
  differing += others.differing;
  masked_by_one += others.masked_by_one;
}

Case::Axis Case::axis(std::size_t dimension) const {
  Axis found;
  for (std::size_t i = 0; i < shape.size(); ++i)
    (i < dimension ? found.outer : i == dimension ? found.size : found.inner) *= shape[i];
  return found;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return sum_of(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

double squared_distance(std::span<const double> a, std::span<const double> b, double factor) {
  return sum_of(a.size(), [&](std::size_t i) {
    const double apart = a[i] - factor * b[i];
    return apart * apart;
  });
}

double relative_half_step(DType dtype) {
  const auto grid = grid_of(dtype);
  return grid ? std::ldexp(0.5, -static_cast<int>(grid->fraction_bits)) : 0;
}

bool leaves_rounding(const Case& one, double residual) {
  constexpr double explains_alone_from = 0.999;
  return one.explained(residual) >= explains_from &&
         residual <= (1 - explains_alone_from) * one.all.errors + rounding(one);
}

std::vector<CaseSums> Case::along(std::size_t dimension) const {
  Axis rows_of = axis(dimension);
  rows_of.inner /= width();
  std::vector<CaseSums> found(rows_of.size);
  for (std::size_t row = 0; row < by_row.size(); ++row)
    found[row / rows_of.inner % rows_of.size].add(by_row[row]);
  return found;
}

void Case::take_numbers(const Tensor& first, const Tensor& second) {
  // So that the numbers are still in a cache when they are summed.
  constexpr std::uint64_t few = 8192;
  const std::size_t block = std::max(first.block_elements(few), second.block_elements(few));
  make_room(a, grid.size());
  make_room(b, grid.size());
  by_row.assign(rows(), {});
  nan_a.clear();
  hidden_a.clear();
  hidden_b.clear();
  grid.for_each_run([&](std::size_t begin, std::uint64_t index, std::size_t count) {
    for (const std::size_t end = begin + count; begin < end;) {
      const std::size_t length = std::min(end - begin, block);
      copy(first, index, std::span(a).subspan(begin, length));
      copy(second, index, std::span(b).subspan(begin, length));
      sum_up(begin, length);
      begin += length;
      index += length;
    }
  });
  all = {};
  for (const CaseSums& row : by_row) all.add(row);
}

void Case::sum_up(std::size_t begin, std::size_t count) {
  for (const std::size_t end = begin + count; begin < end;) {
    const std::size_t row = begin / width();
    const std::size_t length = std::min((row + 1) * width(), end) - begin;
    const auto of_a = std::span(a).subspan(begin, length);
    const auto of_b = std::span(b).subspan(begin, length);
    CaseSums sums = sums_of(of_a, of_b);
    if (!std::isfinite(sums.errors)) {
      const std::size_t hidden = drop_infinite(begin, length);
      sums = sums_of(of_a, of_b);
      sums.masked_by_one += hidden;
    }
    by_row[row].add(sums);
    begin += length;
  }
}

std::size_t Case::drop_infinite(std::size_t begin, std::size_t count) {
  const auto mark = [&](std::vector<bool>& places, std::size_t place) {
    places.resize(a.size());
    places[place] = true;
  };
  const auto hides = [](double number, double other) {
    return number == -HUGE_VAL && std::isfinite(other) && !is_masked(other);
  };
  std::size_t hidden = 0;
  for (std::size_t i = begin; i < begin + count; ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) continue;
    if (std::isnan(a[i]) && !std::isnan(b[i])) mark(nan_a, i);
    const bool is_by_a = hides(a[i], b[i]);
    const bool is_by_b = hides(b[i], a[i]);
    if (is_by_a) mark(hidden_a, i);
    if (is_by_b) mark(hidden_b, i);
    hidden += is_by_a || is_by_b ? 1U : 0U;
    a[i] = b[i] = 0;
  }
  return hidden;
}

bool Case::take(const Tensor& first, const Tensor& second, const Tensor* input_of_second,
                IndexGrid of_them) {
  if (first.shape() != second.shape() || !can_be_read(first) || !can_be_read(second)) return false;
  grid = std::move(of_them);
  shape = grid.shape();
  dtype_a = first.dtype();
  dtype_b = second.dtype();
  permutation.clear();
  take_numbers(first, second);
  if (all.errors == 0 && nan_a.empty() && all.masked_by_one == 0) return false;
  // The squares of such numbers are not finite.
  if (!std::isfinite(all.errors) || !std::isfinite(all.squares)) return false;
  input.clear();
  input_shape = Shape();
  if (input_of_second == nullptr || !can_be_read(*input_of_second)) return true;
  input_shape = input_of_second->shape();
  if (input_shape != first.shape()) return true;
  make_room(input, grid.size());
  grid.for_each_run([&](std::size_t begin, std::uint64_t index, std::size_t count) {
    copy(*input_of_second, index, std::span(input).subspan(begin, count));
  });
  if (!std::isfinite(dot(input, input))) input.clear();
  return true;
}

}  // namespace safestructures::inline v0::comparing
