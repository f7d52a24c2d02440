/// \file
/// The distance of two tensors outside masked places: the values that masks fill in, such as -1e9,
/// dominate a norm, so that an error looks like nothing relative to it.
#pragma once

#include <cmath>
#include <optional>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/kernels/float_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// Numbers that masks fill in are at most this on both sides. -1e4 with a score added is still
/// masked; so is every lower fill value in use.
inline constexpr double most_filled = -8192;

/// Sums over the numbers that are finite in both and not masked on both sides.
class UnmaskedSums {
 public:
  void add(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    if (a <= most_filled && b <= most_filled) {
      has_masked_ = true;
      return;
    }
    squares_ += (a - b) * (a - b);
    b_squares_ += b * b;
  }
  /// Returns |a - b| / |b| of them, as in `TensorMetrics`. Null if nothing is masked, or if b is
  /// zero everywhere else.
  [[nodiscard]] std::optional<double> relative_l2() const;

 private:
  double squares_ = 0;
  double b_squares_ = 0;
  bool has_masked_ = false;
};

/// Returns the relative L2 outside masks, if it is larger than that of all numbers. Above 65,536
/// numbers only that many are looked at, in blocks spread over the tensors.
/// \param found from `compare_tensors`
/// @{
[[nodiscard]] std::optional<double> unmasked_l2(const Tensor& a, const Tensor& b,
                                                const TensorMetrics& found);
[[nodiscard]] std::optional<double> unmasked_l2(const FloatBlock& all);
/// @}

}  // namespace safestructures::inline v0::comparing
