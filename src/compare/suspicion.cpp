#include "compare/suspicion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace safestructures::inline v0::comparing {
namespace {

// Where two explain as much, the one that stands first is the more special.
constexpr std::array<Detector, 14> detectors = {
    suspect_interleaving, suspect_rotation, suspect_transpose, suspect_activation,  suspect_scale,
    suspect_epsilon,      suspect_residual, suspect_shift,     suspect_offset,      suspect_blocks,
    suspect_bias,         suspect_mask,     suspect_padding,   suspect_accumulation};

bool can_be_read(const Tensor& tensor) {
  return bit_width(tensor.dtype()) >= 8 && tensor.dtype() != DType::C64 && tensor.size() != 0 &&
         tensor.size() <= most_suspected;
}

std::vector<double> numbers_in(const Tensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.size()));
  tensor.copy_elements(0, tensor.size(), DType::F64, std::as_writable_bytes(std::span(numbers)),
                       Overflow::allow);
  return numbers;
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

std::optional<Case> case_of(const Tensor& a, const Tensor& b, const Tensor* input) {
  if (a.shape() != b.shape() || !can_be_read(a) || !can_be_read(b)) return std::nullopt;
  Case one;
  one.shape = shape_in(a);
  one.a = numbers_in(a);
  one.b = numbers_in(b);
  one.dtype_a = a.dtype();
  one.dtype_b = b.dtype();
  for (std::size_t i = 0; i < one.a.size(); ++i) {
    if (std::isfinite(one.a[i]) && std::isfinite(one.b[i])) continue;
    if (std::isnan(one.a[i]) && !std::isnan(one.b[i])) {
      one.nan_a.resize(one.a.size());
      one.nan_a[i] = true;
    }
    one.a[i] = one.b[i] = 0;
  }
  one.squared_error = squared_distance(one.a, one.b);
  if (one.squared_error == 0 && one.nan_a.empty()) return std::nullopt;
  // Squares of such numbers are none.
  if (!std::isfinite(one.squared_error) || !std::isfinite(dot(one.b, one.b))) return std::nullopt;
  if (input != nullptr && can_be_read(*input)) {
    one.input = numbers_in(*input);
    one.input_shape = shape_in(*input);
    if (!std::isfinite(dot(one.input, one.input))) {
      one.input.clear();
      one.input_shape.clear();
    }
  }
  return one;
}

std::vector<Suspicion> suspect(const Case& one) {
  std::vector<Suspicion> found;
  for (const Detector detector : detectors)
    // Where all that differs is NaN, there are no numbers to explain.
    if (one.squared_error == 0 && detector != suspect_mask) continue;
    else if (auto suspicion = detector(one)) found.push_back(std::move(*suspicion));
  std::ranges::stable_sort(found, [](const Suspicion& left, const Suspicion& right) {
    // Rounding decides nothing.
    return std::floor(50 * left.explained.value_or(0)) >
           std::floor(50 * right.explained.value_or(0));
  });
  return found;
}

}  // namespace safestructures::inline v0::comparing
