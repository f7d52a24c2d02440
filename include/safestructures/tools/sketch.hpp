/// \file
/// A tensor in two kilobytes, from which its distance to another one is estimated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <safestructures/data/export.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0 {

/// What is kept of a tensor to compare it by: a hash, and a random projection.
///
/// The projection is the count sketch (Charikar, Chen, Farach-Colton, 2002): every number is added
/// to one of 256 sums, with a sign; which sum and sign, its index and the shape decide, so that two
/// programs make the same choice. The squared norm of a difference of sketches has as expectation
/// that of the tensors' difference, with a standard deviation of at most sqrt(2 / 256) of it: 8.8
/// %, or 4.4 % of the norm.
struct TensorSketch {
  /// The sums.
  static constexpr std::size_t size = 256;
  /// XXH3-64 of the elements in row-major order, as they are in a file.
  std::uint64_t hash = 0;
  /// What is infinite or NaN is left out. Of complex elements the real part and the imaginary part
  /// count one after the other.
  std::array<double, size> sums{};

  friend bool operator==(const TensorSketch&, const TensorSketch&) = default;
};

/// Reads every element twice, in blocks, on one thread; docs/recording.md has the choice of sums to
/// the last bit. \throws Error what a deferred tensor's source throws; `out_of_range` for a BOOL
/// byte above 1
[[nodiscard]] SAFESTRUCTURES_API TensorSketch sketch(const Tensor& tensor);

}  // namespace safestructures::inline v0
