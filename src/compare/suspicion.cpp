#include "compare/suspicion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "platform/memory.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {
namespace {

// Where two explain as much, the one that stands first is the more special.
constexpr std::array<Detector, 14> detectors = {
    suspect_interleaving, suspect_rotation, suspect_transpose, suspect_activation,  suspect_scale,
    suspect_epsilon,      suspect_residual, suspect_shift,     suspect_offset,      suspect_blocks,
    suspect_bias,         suspect_mask,     suspect_padding,   suspect_accumulation};

// Numbers for which one more thread pays.
constexpr std::size_t thread_share = std::size_t{1} << 15U;

bool can_be_read(const Tensor& tensor) {
  return bit_width(tensor.dtype()) >= 8 && tensor.dtype() != DType::C64 && tensor.size() != 0 &&
         tensor.size() <= most_suspected;
}

void make_room(std::vector<double>& numbers, std::size_t size) {
  if (numbers.capacity() < size) {
    numbers.clear();
    platform::reserve_huge(numbers, size);
  }
  numbers.resize(size);
}

void read(const Tensor& tensor, std::vector<double>& numbers) {
  make_room(numbers, static_cast<std::size_t>(tensor.size()));
  tensor.copy_elements(0, tensor.size(), DType::F64, std::as_writable_bytes(std::span(numbers)),
                       Overflow::allow);
}

std::vector<std::size_t> shape_in(const Tensor& tensor) {
  std::vector<std::size_t> shape;
  for (const std::uint64_t size : tensor.shape()) shape.push_back(static_cast<std::size_t>(size));
  if (shape.empty()) shape.push_back(1);
  return shape;
}

/// Eight sums side by side, which vector instructions take together.
template <class Term>
double sum_of(std::size_t size, const Term& term) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= size; i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += term(i + lane);
  for (; i < size; ++i) sums[0] += term(i);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

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

/// Block by block, each in a cache until its sums are made.
void Case::take_numbers(const Tensor& first, const Tensor& second) {
  const auto size = static_cast<std::size_t>(first.size());
  make_room(a, size);
  make_room(b, size);
  nan_a.clear();
  squared_error = squared_b = product = 0;
  constexpr std::uint64_t few = 8192;
  const std::uint64_t block = std::max(first.block_elements(few), second.block_elements(few));
  for (std::size_t begin = 0; begin < size;) {
    const std::size_t count = std::min<std::size_t>(size - begin, block);
    const auto of_a = std::span(a).subspan(begin, count);
    const auto of_b = std::span(b).subspan(begin, count);
    first.copy_elements(begin, count, DType::F64, std::as_writable_bytes(of_a), Overflow::allow);
    second.copy_elements(begin, count, DType::F64, std::as_writable_bytes(of_b), Overflow::allow);
    double error = squared_distance(of_a, of_b);
    if (!std::isfinite(error)) {
      drop_infinite(begin, count);
      error = squared_distance(of_a, of_b);
    }
    squared_error += error;
    squared_b += dot(of_b, of_b);
    product += dot(of_a, of_b);
    begin += count;
  }
}

void Case::drop_infinite(std::size_t begin, std::size_t count) {
  for (std::size_t i = begin; i < begin + count; ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) continue;
    if (std::isnan(a[i]) && !std::isnan(b[i])) {
      nan_a.resize(a.size());
      nan_a[i] = true;
    }
    a[i] = b[i] = 0;
  }
}

bool Case::take(const Tensor& first, const Tensor& second, const Tensor* input_of_second) {
  if (first.shape() != second.shape() || !can_be_read(first) || !can_be_read(second)) return false;
  shape = shape_in(first);
  dtype_a = first.dtype();
  dtype_b = second.dtype();
  permutation.clear();
  take_numbers(first, second);
  if (squared_error == 0 && nan_a.empty()) return false;
  // Squares of such numbers are none.
  if (!std::isfinite(squared_error) || !std::isfinite(squared_b)) return false;
  input.clear();
  input_shape.clear();
  if (input_of_second == nullptr || !can_be_read(*input_of_second)) return true;
  read(*input_of_second, input);
  input_shape = shape_in(*input_of_second);
  if (std::isfinite(dot(input, input))) return true;
  input.clear();
  input_shape.clear();
  return true;
}

std::vector<Suspicion> suspect(const Case& one) {
  std::array<std::optional<Suspicion>, detectors.size()> all;
  platform::in_pieces(
      detectors.size(), 1,
      [&](std::size_t i, std::size_t, unsigned) {
        // Where all that differs is NaN, there are no numbers to explain.
        if (one.squared_error != 0 || detectors[i] == suspect_mask) all[i] = detectors[i](one);
      },
      platform::threads_for(one.a.size(), thread_share));
  std::vector<Suspicion> found;
  for (std::optional<Suspicion>& suspicion : all)
    if (suspicion) found.push_back(std::move(*suspicion));
  std::ranges::stable_sort(found, [](const Suspicion& left, const Suspicion& right) {
    // Rounding decides nothing.
    return std::floor(50 * left.explained.value_or(0)) >
           std::floor(50 * right.explained.value_or(0));
  });
  return found;
}

}  // namespace safestructures::inline v0::comparing
