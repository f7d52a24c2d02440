/// \file
/// Detects tensors whose dimensions are permuted.
#pragma once

#include <safestructures/compare/rows.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// Notes in the row of two tensors that differ which non-trivial permutation of a's dimensions
/// brings it nearest to b, if one does: both relative to the spread of b's numbers about their mean
/// and to a tenth of the distance without it. Tries every permutation on a sample of the elements,
/// and the best few on all elements, unless a is large and not loaded.
void recognise_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row);

}  // namespace safestructures::inline v0::comparing
