/// \file
/// Which of the usual faults of a port would make a difference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/suspicions/suspicion_grid.hpp"

namespace safestructures::inline v0::comparing {

/// What some numbers of a and b have in all.
struct CaseSums {
  double errors = 0;              ///< Squares of a - b.
  double squares = 0;             ///< Of b.
  double product = 0;             ///< Of a - b and b.
  std::size_t differing = 0;      ///< Places where a is not b.
  std::size_t masked_by_one = 0;  ///< Places that a masks and b does not, or the other way.

  void add(const CaseSums& others) noexcept;
  /// By which b comes nearest to a, less 1.
  [[nodiscard]] double factor_less_1() const { return squares > 0 ? product / squares : 0; }
  [[nodiscard]] double squares_of_a() const {
    return std::max(errors + 2 * product + squares, 0.0);
  }
  /// The squared error that this factor leaves.
  [[nodiscard]] double after_factor() const {
    return std::max(errors - factor_less_1() * product, 0.0);
  }
};

/// Whether an attention's probability or score is that of a place that nobody may see: some masks
/// add -1e4 to a score.
inline bool is_masked(double number) { return number == 0 || number < -9e3; }

/// Two tensors of one shape that differ, and what went into their layer.
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

  IndexGrid grid{Shape{}};         ///< What is looked at.
  std::vector<std::size_t> shape;  ///< Of the grid.
  std::vector<double> a;           ///< What is infinite or NaN in either is 0 in both.
  std::vector<double> b;
  std::vector<bool> nan_a;     ///< NaN in a alone; empty where there is none.
  std::vector<bool> hidden_a;  ///< -inf in a, and let through by b; empty where there is none.
  std::vector<bool> hidden_b;  ///< The other way.
  Shape input_shape;           ///< Empty where the input is not known.
  std::vector<double> input;   ///< That of b, where that of a is much the same and of their shape.
  DType dtype_a = DType::F32;  ///< In which they are stored.
  DType dtype_b = DType::F32;
  std::vector<std::size_t> permutation;  ///< As `ComparisonRow::permutation`.
  CaseSums all;
  std::vector<CaseSums> by_row;

  /// Makes this the case of two tensors, in the memory of the one before.
  /// \param input_of_second null where it is not known
  /// \param of_them a grid of the tensors' shape
  /// \returns false where there is none to look at: no number differs, or they cannot be read so
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
  /// The share of the squared error that is gone where this is left.
  [[nodiscard]] double explained(double residual) const { return 1 - residual / all.errors; }
  /// What each index of a dimension other than the last has in all.
  [[nodiscard]] std::vector<CaseSums> along(std::size_t dimension) const;

 private:
  void take_numbers(const Tensor& first, const Tensor& second);
  void sum_up(std::size_t begin, std::size_t count);
  /// \returns how many places one side hides by -inf and the other does not mask
  std::size_t drop_infinite(std::size_t begin, std::size_t count);
};

/// From here on a model explains a difference: rounding may make the rest.
inline constexpr double explains_from = 0.9;
/// From here on it may, when it is tried on few of the numbers.
inline constexpr double seems_from = 0.5;

/// Every so many rows are few: 64 to 127 of all.
inline std::size_t few_rows(const Case& one) { return std::max<std::size_t>(one.rows() / 64, 1); }

/// A detector fires where its fault would make the difference.
using Detector = std::optional<Suspicion> (*)(const Case&);

/// Each in the file of its kind.
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

/// What all detectors find, the best explanation first; what fits by pattern alone comes last.
std::vector<Suspicion> suspect(const Case& one);
/// Adds faults that are not among those found already, and puts them in that order.
void add(std::vector<Suspicion> more, std::vector<Suspicion>& found);

/// What is spent in all, in numbers (see `IndexGrid::cost`): one for so many of those compared, so
/// that it is up to a sixth of the time of comparing them, but as many at least.
/// @{
inline constexpr std::uint64_t suspected_share = 64;
inline constexpr std::uint64_t least_suspected = std::uint64_t{1} << 20U;
/// Of recordings, whose culprits are few.
inline constexpr std::uint64_t least_suspected_of_recordings = std::uint64_t{1} << 24U;
/// @}
/// Numbers for which one more thread pays.
inline constexpr std::size_t suspected_thread_share = std::size_t{1} << 15U;
/// Rows that are looked at.
inline constexpr std::size_t most_suspicious_rows = 64;

/// The sum of the products.
double dot(std::span<const double> a, std::span<const double> b);
/// The sum of squares of a - factor * b.
double squared_distance(std::span<const double> a, std::span<const double> b, double factor = 1);

}  // namespace safestructures::inline v0::comparing
