/// \file
/// The largest errors relative to numbers of each magnitude.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace safestructures::inline v0::comparing {

/// The largest |a - b|, absolute and relative to |b|, for each exponent of |b|. Which magnitudes
/// count relative to |b| is known only after all numbers.
class Scales {
 public:
  /// \param error |a - b|, finite \param reference |b|, finite
  /// \param relative a lower bound, for errors larger than every double
  void take(double error, double reference, double relative = 0) {
    Scale& scale = of(exponent_of(reference));
    if (relative > scale.relative) scale.relative = relative;
    if (error > scale.absolute) scale.absolute = error;
    // Most errors are smaller, and need no division.
    if (error >= scale.relative * reference && error > 0)
      scale.relative = std::max(scale.relative, error / reference);
  }
  void merge(const Scales& other) {
    for (std::size_t i = other.begin_; i < other.end_; ++i) {
      Scale& scale = of(i);
      scale.absolute = std::max(scale.absolute, other.scales_[i].absolute);
      scale.relative = std::max(scale.relative, other.scales_[i].relative);
    }
  }
  /// Returns the largest |a - b| / max(|b|, 2^floor_exponent).
  [[nodiscard]] double relative(int floor_exponent) const {
    const auto above =
        static_cast<std::size_t>(std::clamp(floor_exponent + bias, 0, static_cast<int>(exponents)));
    double absolute = 0;
    double relative = 0;
    for (std::size_t i = begin_; i < end_; ++i) {
      if (i < above) absolute = std::max(absolute, scales_[i].absolute);
      else relative = std::max(relative, scales_[i].relative);
    }
    return std::max(absolute / std::ldexp(1.0, floor_exponent), relative);
  }

 private:
  struct Scale {
    double absolute;
    double relative;
  };
  static constexpr std::size_t exponents = 2048;
  static constexpr int bias = 1023;

  static std::size_t exponent_of(double magnitude) {
    return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(magnitude) >> 52U & 0x7FFU);
  }
  Scale& of(std::size_t exponent) {
    // Most tensors have a few dozen exponents; zeroing all of them takes longer than 64 numbers.
    if (exponent < begin_ || exponent >= end_) make_room(exponent);
    return scales_[exponent];
  }
  void make_room(std::size_t exponent) {
    if (begin_ == end_) begin_ = end_ = exponent;
    while (begin_ > exponent) scales_[--begin_] = {};
    while (end_ <= exponent) scales_[end_++] = {};
  }

  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::array<Scale, exponents> scales_;  // Valid from `begin_` to `end_` only.
};

}  // namespace safestructures::inline v0::comparing
