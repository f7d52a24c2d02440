/// \file
/// Which tensors that only one structure has may be the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// A tensor without a counterpart.
struct Lone {
  std::string name;
  Tensor tensor;
};

/// Pairs of tensors of one shape: by their numbers first, then by their order.
std::vector<RenameSuggestion> suggest(std::span<const Lone> a, std::span<const Lone> b);

}  // namespace safestructures::inline v0::comparing
