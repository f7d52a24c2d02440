/// \file
/// The suspicions about two tensors.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/suspicions/suspicion.hpp"

namespace safestructures::test {

/// Returns the suspicions about two tensors, looking at all numbers.
/// \param input null if it is not known
inline std::vector<Suspicion> suspected(const Tensor& a, const Tensor& b,
                                        const Tensor* input = nullptr) {
  comparing::Case one;
  REQUIRE(one.take(a, b, input, comparing::IndexGrid(a.shape())));
  return comparing::suspect(one);
}

inline bool names(const std::vector<Suspicion>& found, std::string_view fault) {
  return std::ranges::find(found, fault, &Suspicion::fault) != found.end();
}

}  // namespace safestructures::test
