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
  double relative_l2 = 0;  ///< What is left between the two then.
  bool is_whole = true;    ///< False where only a sample was looked at.

  /// `b is a permuted by [1, 0], exactly`.
  [[nodiscard]] std::string text() const;
};

/// The order that brings a nearest to b, other than its own, where it brings it near. A sample of
/// the elements is looked at for every order, all elements for the best.
std::optional<Transpose> find_transpose(const Tensor& a, const Tensor& b);

}  // namespace safestructures::inline v0::comparing
