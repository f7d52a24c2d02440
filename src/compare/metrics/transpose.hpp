/// \file
/// Tensors whose dimensions stand in another order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// An order of a's dimensions that gives b, or nearly.
struct Transpose {
  std::vector<std::size_t> order;
  /// What is left between the two then; of a sample beside how far b's numbers are from their mean.
  double relative_l2 = 0;
  bool is_whole = true;  ///< False where only a sample was looked at.

  /// `b is a permuted by [1, 0], exactly`.
  [[nodiscard]] std::string text() const;
};

/// The order that brings a nearest to b, other than its own, where it brings it near: beside how
/// far b's numbers are from their mean, and a tenth of the distance as it is. A sample of the
/// elements is looked at for every order, all elements for the best of them.
/// \param as_it_is the relative L2 between the two, where they have one
std::optional<Transpose> find_transpose(const Tensor& a, const Tensor& b,
                                        const std::optional<double>& as_it_is);

}  // namespace safestructures::inline v0::comparing
