/// \file
/// A summary of a tensor in two kilobytes, from which its distance to another tensor is estimated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <safestructures/data/export.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0 {

/// A summary of a tensor for comparisons: a hash, and a random projection.
///
/// The projection is the count sketch (Charikar, Chen, Farach-Colton, 2002): every number is added
/// to one of 256 sums, with a sign. Sum and sign depend only on the index and the shape, so that
/// two programs choose the same ones. The squared norm of the difference of two sketches is an
/// unbiased estimate of the squared norm of the tensors' difference, with a standard deviation of
/// at most sqrt(2 / 256) of it: 8.8 %, or 4.4 % for the norm.
struct TensorSketch {
  /// The number of sums.
  static constexpr std::size_t size = 256;
  /// The XXH3-64 of the elements in row-major order, as in a file.
  std::uint64_t hash = 0;
  /// The sums, without infinities and NaNs. Complex elements count as their real part followed by
  /// their imaginary part.
  std::array<double, size> sums{};

  friend bool operator==(const TensorSketch&, const TensorSketch&) = default;
};

/// Returns the sketch of a tensor. Reads every element twice, in blocks, on one thread;
/// docs/recording.md specifies the choice of sums to the last bit.
/// \throws Error whatever a deferred tensor's source throws; `out_of_range` for a BOOL byte above 1
[[nodiscard]] SAFESTRUCTURES_API TensorSketch sketch(const Tensor& tensor);

}  // namespace safestructures::inline v0
