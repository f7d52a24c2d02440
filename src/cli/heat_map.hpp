/// \file
/// Where in a tensor two runs differ, in few enough cells to be looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <safestructures/data/tensor.hpp>

namespace safestructures::cli {

/// A tensor as a matrix: its last dimension is the columns, all others together the rows.
struct HeatMap {
  std::uint64_t tensor_rows = 1;
  std::uint64_t tensor_columns = 1;
  std::size_t rows = 1;     ///< Of cells, at most 96; each stands for as many rows or one more.
  std::size_t columns = 1;  ///< Of cells, at most 192.
  /// The largest |a - b| in each; -1 where one side alone is no finite number, or both are of
  /// different kinds.
  std::vector<double> cells;
};

/// Reads both tensors, which have the same shape and an element at least, block by block.
HeatMap heat_map(const Tensor& a, const Tensor& b);

}  // namespace safestructures::cli
