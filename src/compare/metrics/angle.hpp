/// \file
/// The angle between tensors whose norms are far apart.
#pragma once

#include <safestructures/data/tensor.hpp>
#include "compare/metrics/totals.hpp"

namespace safestructures::inline v0::comparing {

/// Whether norms are more than 1,024 times apart, where neither is 0. The sums that are found
/// beside all other numbers leave an error in the cosine that grows with that factor: 3e-13 at
/// 1,000.
[[nodiscard]] bool are_far_apart(Sums::Wide a_squares, Sums::Wide b_squares) noexcept;

/// Reads both once more, and sets the cosine and its distance from 1 in `found`.
/// \param sums of both, whose norms are far apart
/// \throws Error what deferred tensors' sources throw
void measure_angle(const Tensor& a, const Tensor& b, const Sums& sums, TensorMetrics& found);

}  // namespace safestructures::inline v0::comparing
