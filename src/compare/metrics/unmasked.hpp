/// \file
/// The distance of two tensors outside masked places: the values that masks fill in, such as -1e9,
/// dominate a norm, so that an error looks like nothing relative to it.
#pragma once

#include <optional>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/kernels/float_kernels.hpp"

namespace safestructures::inline v0::comparing {

/// Numbers that masks fill in are at most this on both sides. -1e4 with a score added is still
/// masked; so is every lower fill value in use.
inline constexpr double most_filled = -8192;

/// Returns the relative L2 outside masks, if it is larger than that of all numbers. Above 65,536
/// numbers only that many are looked at, in blocks spread over the tensors.
/// \param found from `compare_tensors`
/// @{
[[nodiscard]] std::optional<double> unmasked_l2(const Tensor& a, const Tensor& b,
                                                const TensorMetrics& found);
[[nodiscard]] std::optional<double> unmasked_l2(const FloatBlock& all);
/// @}

}  // namespace safestructures::inline v0::comparing
