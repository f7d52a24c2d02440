/// \file
/// How far apart two tensors are where no mask is: what masks fill in, such as -1e9, is most of a
/// norm, and an error beside it is nothing.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/kernels/float_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// What masks fill in is no larger than that, on both sides: -1e4 to which a score was added is
/// not, nor is any lower number that is in use.
inline constexpr double most_filled = -8192;

/// Sums of the numbers that are finite in both, and not filled in on both sides.
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
  /// |a - b| / |b| of them, as in `TensorMetrics`. Nothing where no mask is, or all of b is zero
  /// elsewhere.
  [[nodiscard]] std::optional<double> relative_l2() const;

 private:
  double squares_ = 0;
  double b_squares_ = 0;
  bool has_masked_ = false;
};

/// That of all numbers of two tensors, where it is more than theirs; above 65,536 numbers of so
/// many, in blocks all over them.
/// \param found of `compare_tensors`
/// @{
[[nodiscard]] std::optional<double> unmasked_l2(const Tensor& a, const Tensor& b,
                                                const TensorMetrics& found);
[[nodiscard]] std::optional<double> unmasked_l2(const FloatBlock& all);
/// @}

}  // namespace safestructures::inline v0::comparing
