/// \file
/// Detects which of the usual porting faults would explain a difference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/suspicions/suspicion_grid.hpp"

namespace safestructures::inline v0::comparing {

/// Sums over some numbers of a and b.
struct CaseSums {
  double errors = 0;              ///< Sum of the squares of a - b.
  double squares = 0;             ///< Sum of the squares of b.
  double product = 0;             ///< Sum of (a - b) * b.
  std::size_t differing = 0;      ///< Places where a and b differ.
  std::size_t masked_by_one = 0;  ///< Places that only one of a and b masks.

  void add(const CaseSums& others) noexcept;
  /// Returns the factor by which b comes nearest to a, minus 1.
  [[nodiscard]] double factor_less_1() const { return squares > 0 ? product / squares : 0; }
  [[nodiscard]] double squares_of_a() const {
    return std::max(errors + 2 * product + squares, 0.0);
  }
  /// Returns the squared error that remains with this factor.
  [[nodiscard]] double after_factor() const {
    return std::max(errors - factor_less_1() * product, 0.0);
  }
};

/// Whether an attention's probability or score is masked; some masks add -1e4 to a score.
inline bool is_masked(double number) { return number == 0 || number < -9e3; }

/// Two tensors of the same shape that differ, and the input of their layer.
struct Case {
  /// One dimension as the middle of three.
  struct Axis {
    std::size_t outer = 1;
    std::size_t size = 1;
    std::size_t inner = 1;

    [[nodiscard]] std::size_t at(std::size_t o, std::size_t i, std::size_t k) const noexcept {
      return (o * size + i) * inner + k;
    }
  };

  IndexGrid grid{Shape{}};         ///< The numbers that are looked at.
  std::vector<std::size_t> shape;  ///< Of the grid.
  std::vector<double> a;           ///< Numbers that are infinite or NaN in either are 0 in both.
  std::vector<double> b;
  std::vector<bool> nan_a;     ///< NaN only in a; empty if there is none.
  std::vector<bool> hidden_a;  ///< -inf in a, but visible in b; empty if there is none.
  std::vector<bool> hidden_b;  ///< The reverse.
  Shape input_shape;           ///< Empty if the input is unknown.
  std::vector<double> input;   ///< b's input, if a's is nearly the same and it has their shape.
  /// The dtypes in which they are stored, or had before as far as their files note it.
  /// @{
  DType dtype_a = DType::F32;
  DType dtype_b = DType::F32;
  /// @}
  std::vector<std::size_t> permutation;  ///< As `ComparisonRow::permutation`.
  CaseSums all;
  std::vector<CaseSums> by_row;

  /// Sets this to the case of two tensors, reusing its memory.
  /// \param input_of_second null if unknown
  /// \param of_them a grid of the tensors' shape
  /// \returns false if there is nothing to look at: no number differs, or they cannot be read
  bool take(const Tensor& first, const Tensor& second, const Tensor* input_of_second,
            IndexGrid of_them);

  [[nodiscard]] Axis axis(std::size_t dimension) const;
  /// Whether one side masks a place.
  /// @{
  [[nodiscard]] bool is_masked_in_a(std::size_t place) const {
    return is_masked(a[place]) && (hidden_b.empty() || !hidden_b[place]);
  }
  [[nodiscard]] bool is_masked_in_b(std::size_t place) const {
    return is_masked(b[place]) && (hidden_a.empty() || !hidden_a[place]);
  }
  /// @}
  [[nodiscard]] std::size_t width() const { return shape.back(); }
  [[nodiscard]] std::size_t rows() const { return a.size() / width(); }
  [[nodiscard]] bool has_like_input() const { return !input.empty(); }
  /// Whether all indices of a dimension are looked at.
  [[nodiscard]] bool is_whole(std::size_t dimension) const {
    return grid.dimensions()[dimension].is_whole();
  }
  [[nodiscard]] bool has_whole_rows() const { return is_whole(shape.size() - 1); }
  [[nodiscard]] std::span<const double> row(const std::vector<double>& of, std::size_t i) const {
    return std::span(of).subspan(i * width(), width());
  }
  /// Returns the share of the squared error that is explained if `residual` remains.
  [[nodiscard]] double explained(double residual) const { return 1 - residual / all.errors; }
  /// Returns the sums for each index of a dimension other than the last.
  [[nodiscard]] std::vector<CaseSums> along(std::size_t dimension) const;

 private:
  void take_numbers(const Tensor& first, const Tensor& second);
  void sum_up(std::size_t begin, std::size_t count);
  /// \returns how many places one side hides by -inf and the other does not mask
  std::size_t drop_infinite(std::size_t begin, std::size_t count);
};

/// The share from which a model explains a difference; rounding may account for the rest.
inline constexpr double explains_from = 0.9;
/// The share from which it may, when tried on few of the numbers.
inline constexpr double seems_from = 0.5;

/// Returns the stride that leaves a few rows: 64 to 127 of all.
inline std::size_t few_rows(const Case& one) { return std::max<std::size_t>(one.rows() / 64, 1); }

/// Returns a suspicion if the detector's fault would explain the difference.
using Detector = std::optional<Suspicion> (*)(const Case&);

/// Each is defined in the file for its kind.
/// @{
std::optional<Suspicion> suspect_scale(const Case& one);
std::optional<Suspicion> suspect_epsilon(const Case& one);
std::optional<Suspicion> suspect_residual(const Case& one);
std::optional<Suspicion> suspect_bias(const Case& one);
std::optional<Suspicion> suspect_interleaving(const Case& one);
std::optional<Suspicion> suspect_blocks(const Case& one);
std::optional<Suspicion> suspect_transpose(const Case& one);
std::optional<Suspicion> suspect_shift(const Case& one);
std::optional<Suspicion> suspect_offset(const Case& one);
std::optional<Suspicion> suspect_rotation(const Case& one);
std::optional<Suspicion> suspect_mask(const Case& one);
std::optional<Suspicion> suspect_padding(const Case& one);
std::optional<Suspicion> suspect_activation(const Case& one);
std::optional<Suspicion> suspect_accumulation(const Case& one);
/// @}

/// Returns what all detectors find, the best explanation first and those that fit only by pattern
/// last.
std::vector<Suspicion> suspect(const Case& one);
/// Adds faults that were not found already, and sorts as above.
void add(std::vector<Suspicion> more, std::vector<Suspicion>& found);

/// The budget in numbers (see `IndexGrid::cost`): one per this many compared numbers, which takes
/// up to a sixth of the time of comparing them, but at least the minimum.
/// @{
inline constexpr std::uint64_t suspected_share = 64;
inline constexpr std::uint64_t least_suspected = std::uint64_t{1} << 20U;
/// For recordings, which have few culprits.
inline constexpr std::uint64_t least_suspected_of_recordings = std::uint64_t{1} << 24U;
/// @}
/// How many numbers make another thread worthwhile.
inline constexpr std::size_t suspected_thread_share = std::size_t{1} << 15U;
/// The most rows that are looked at.
inline constexpr std::size_t most_suspicious_rows = 64;

/// Returns the dot product.
double dot(std::span<const double> a, std::span<const double> b);
/// Returns the sum of squares of a - factor * b.
double squared_distance(std::span<const double> a, std::span<const double> b, double factor = 1);
/// Whether one factor, or one factor or summand of each column, explains all but rounding. They
/// explain most of many other faults.
/// \param residual the squared error that remains
bool leaves_rounding(const Case& one, double residual);
/// Returns the mean row of a - b.
std::vector<double> mean_row_of_difference(const Case& one);
/// Returns the squared error that remains if that is subtracted from each row.
double after_bias(const Case& one, std::span<const double> bias);
/// Returns the largest error of rounding to a dtype, relative to the number; 0 for integers.
double relative_half_step(DType dtype);
/// Returns the sum of those of both dtypes.
inline double relative_half_steps(const Case& one) {
  return relative_half_step(one.dtype_a) + relative_half_step(one.dtype_b);
}

}  // namespace safestructures::inline v0::comparing
