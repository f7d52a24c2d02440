/// \file
/// The angle between tensors whose norms differ greatly.
#pragma once

#include <safestructures/data/tensor.hpp>
#include "compare/metrics/totals.hpp"

namespace safestructures::inline v0::comparing {

/// Whether two norms, neither 0, differ by a factor of more than 1,024. The cosine computed from
/// the usual sums has an error that grows with that factor: 3e-13 at 1,000.
[[nodiscard]] bool are_far_apart(Sums::Wide a_squares, Sums::Wide b_squares) noexcept;

/// Reads both tensors again and sets the cosine and its distance from 1 in `found`.
/// \param sums of both tensors, whose norms are far apart
/// \throws Error whatever the sources of deferred tensors throw
void measure_angle(const Tensor& a, const Tensor& b, const Sums& sums, TensorMetrics& found);

}  // namespace safestructures::inline v0::comparing
