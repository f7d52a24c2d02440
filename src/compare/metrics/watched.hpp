/// \file
/// Two metrics that need a table of all numbers, by magnitude and by steps, for what can matter of
/// it alone: a sample says what that is, and the result whether it was right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <safestructures/data/tensor.hpp>
#include "compare/kernels/float_kernels.hpp"
#include "compare/metrics/ulp.hpp"

namespace safestructures::inline v0::comparing {

/// What a sample of two tensors says of them.
struct Guess {
  int floor_exponent;  ///< `floor_exponent_of` the mean square of b.
  unsigned bits;       ///< That 99 of 100 numbers' steps take, at most.
  unsigned most_bits;  ///< That those of all of them take.
};

/// From the magnitude 2^this on an error is measured beside |b|, and beside 2^this below: a number
/// is small beside a 256th of the root of the mean square. \param mean_square of b
int floor_exponent_of(long double mean_square);
/// The same of a sum of squares, a normal number, over so many numbers.
int floor_exponent_of(double squares, std::uint64_t count);

/// \returns nothing where a sample is not worth it, or says nothing
std::optional<Guess> guess_of(const Tensor& a, const Tensor& b, const Grid& grid);

class Watched {
 public:
  explicit Watched(const Guess& guess);

  /// What kernels are to look out for.
  /// @{
  [[nodiscard]] const StepWidths& widths() const noexcept { return widths_; }
  [[nodiscard]] FloatWatch watch(const Tolerance& tolerance, double ratio) const;
  /// @}
  /// A number that differs, of a run that is watched. \param reference |b|
  void take(double error, double reference) {
    if (error > absolute_ && error > relative_ * reference) take_new(error, reference);
  }
  void take(const FloatSteps& steps);
  void merge(const Watched& other);

  /// The largest of |a - b| / max(|b|, 2^floor_exponent); nothing where that is not known.
  [[nodiscard]] std::optional<double> relative(int floor_exponent) const;
  /// How many are apart by steps that take as many bits, or more; nothing where that is not known.
  [[nodiscard]] std::optional<std::uint64_t> at_least(unsigned bits) const;

 private:
  void take_new(double error, double reference);
  void set_limits();

  // Exponents on both sides of the guess.
  static constexpr int floors_beside = 3;

  int least_floor_;
  StepWidths widths_;
  std::array<double, 2 * floors_beside + 1> floors_{};
  std::array<double, 2 * floors_beside + 1> largest_{};  // Beside each floor.
  // What is at most one of these is nothing new: |a - b|, and beside |b|.
  double absolute_ = 0;
  double relative_ = 0;
  std::uint64_t differing_ = 0;
  decltype(FloatSteps::at_least) at_least_{};
};

}  // namespace safestructures::inline v0::comparing
