/// \file
/// Two metrics that need tables of all numbers, by magnitude and by steps, computed only for
/// entries that can matter: a sample predicts which, and the result shows whether the prediction
/// was right.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <safestructures/data/tensor.hpp>
#include "compare/kernels/float_kernels.hpp"
#include "compare/metrics/ulp.hpp"

namespace safestructures::inline v0::comparing {

/// The prediction from a sample of two tensors.
struct Guess {
  int floor_exponent;  ///< `floor_exponent_of` the mean square of b.
  unsigned bits;       ///< How many bits hold the steps of 99 % of the numbers.
  unsigned most_bits;  ///< How many bits hold the steps of all numbers.
};

/// Returns the exponent of the floor: an error is measured relative to |b| from magnitude
/// 2^exponent on, and relative to 2^exponent below. Numbers below 1/256 of the root mean square are
/// small.
/// \param mean_square of b
int floor_exponent_of(long double mean_square);
/// The same for a sum of squares, a normal number, over `count` numbers.
int floor_exponent_of(double squares, std::uint64_t count);

/// \returns null if sampling does not pay, or the sample tells nothing
std::optional<Guess> guess_of(const Tensor& a, const Tensor& b, const Grid& grid);

class Watched {
 public:
  explicit Watched(const Guess& guess);

  /// What kernels have to look for.
  /// @{
  [[nodiscard]] const StepWidths& widths() const noexcept { return widths_; }
  [[nodiscard]] FloatWatch watch(const Tolerance& tolerance, double ratio) const;
  /// @}
  /// Takes a differing number from a watched run. \param reference |b|
  void take(double error, double reference) {
    if (error > absolute_ && error > relative_ * reference) take_new(error, reference);
  }
  void take(const FloatSteps& steps);
  void merge(const Watched& other);

  /// Returns the largest |a - b| / max(|b|, 2^floor_exponent); null if unknown.
  [[nodiscard]] std::optional<double> relative(int floor_exponent) const;
  /// Returns how many pairs differ by steps of at least that many bits; null if unknown.
  [[nodiscard]] std::optional<std::uint64_t> at_least(unsigned bits) const;

 private:
  void take_new(double error, double reference);
  void set_limits();

  // The number of exponents on each side of the guess.
  static constexpr int floors_beside = 3;

  int least_floor_;
  StepWidths widths_;
  std::array<double, 2 * floors_beside + 1> floors_{};
  std::array<double, 2 * floors_beside + 1> largest_{};  // Relative to each floor.
  // Only errors that exceed both of these are new: |a - b|, and relative to |b|.
  double absolute_ = 0;
  double relative_ = 0;
  std::uint64_t differing_ = 0;
  decltype(FloatSteps::at_least) at_least_{};
};

}  // namespace safestructures::inline v0::comparing
