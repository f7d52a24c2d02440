/// \file
/// Which of the usual faults of a port would make a difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

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

  std::vector<std::size_t> shape;
  std::vector<double> a;  ///< What is infinite or NaN in either is 0 in both.
  std::vector<double> b;
  std::vector<bool> nan_a;               ///< NaN in a alone; empty where there is none.
  std::vector<std::size_t> input_shape;  ///< Empty where the input is not known.
  std::vector<double> input;             ///< That of b, where that of a is much the same.
  DType dtype_a = DType::F32;            ///< In which they are stored.
  DType dtype_b = DType::F32;
  std::vector<std::size_t> permutation;  ///< As `ComparisonRow::permutation`.
  double squared_error = 0;
  double squared_b = 0;
  double product = 0;  ///< Of a and b.

  /// Makes this the case of two tensors, in the memory of the one before.
  /// \param input_of_second null where it is not known
  /// \returns false where there is none to look at: no number differs, or they cannot be read so
  bool take(const Tensor& first, const Tensor& second, const Tensor* input_of_second);

  [[nodiscard]] Axis axis(std::size_t dimension) const;
  [[nodiscard]] std::size_t width() const { return shape.back(); }
  [[nodiscard]] std::size_t rows() const { return a.size() / width(); }
  [[nodiscard]] bool has_like_input() const { return input_shape == shape; }
  [[nodiscard]] std::span<const double> row(const std::vector<double>& of, std::size_t i) const {
    return std::span(of).subspan(i * width(), width());
  }
  /// The share of the squared error that is gone where this is left.
  [[nodiscard]] double explained(double residual) const { return 1 - residual / squared_error; }

 private:
  void take_numbers(const Tensor& first, const Tensor& second);
  void drop_infinite(std::size_t begin, std::size_t count);
};

/// From here on a model explains a difference: rounding may make the rest.
inline constexpr double explains_from = 0.9;

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

/// Numbers of a tensor that are looked at; more are too many to hold.
inline constexpr std::uint64_t most_suspected = std::uint64_t{4} << 20U;
/// Numbers that are looked at in all: a few seconds' work; of files no more than one in so many,
/// but as many as of one tensor.
/// @{
inline constexpr std::uint64_t suspected_share = 16;
inline constexpr std::uint64_t most_suspected_in_all = std::uint64_t{16} << 20U;
/// @}
/// Rows that are looked at.
inline constexpr std::size_t most_suspicious_rows = 64;

/// The sum of the products.
double dot(std::span<const double> a, std::span<const double> b);
/// The sum of squares of a - factor * b.
double squared_distance(std::span<const double> a, std::span<const double> b, double factor = 1);

}  // namespace safestructures::inline v0::comparing
