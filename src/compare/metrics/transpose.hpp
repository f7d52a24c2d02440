/// \file
/// Detects tensors whose dimensions are permuted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// A permutation of a's dimensions that gives b, or nearly.
struct Transpose {
  std::vector<std::size_t> order;
  /// The remaining distance; if only a sample was compared, relative to the spread of b's numbers
  /// about their mean.
  double relative_l2 = 0;
  bool is_whole = true;  ///< False if only a sample was compared.

  /// Returns text such as `b is a permuted by [1, 0], exactly`.
  [[nodiscard]] std::string text() const;
};

/// Returns the non-trivial permutation that brings a nearest to b; null if none brings it near,
/// both relative to the spread of b's numbers about their mean and to a tenth of the distance
/// without it. Tries every permutation on a sample of the elements, and the best few on all
/// elements, unless a is large and not loaded.
/// \param as_it_is the relative L2 between the two, if they have one
std::optional<Transpose> find_transpose(const Tensor& a, const Tensor& b,
                                        const std::optional<double>& as_it_is);

}  // namespace safestructures::inline v0::comparing
