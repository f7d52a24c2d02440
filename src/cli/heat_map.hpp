/// \file
/// Shows where in a tensor two runs differ, in few enough cells to look at.
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
  /// The rows of cells, at most 96; each covers the same number of tensor rows, or one more.
  std::size_t rows = 1;
  std::size_t columns = 1;  ///< The columns of cells, at most 192.
  /// The largest |a - b| in each cell; -1 if some element is not finite on one side only, or both
  /// are non-finite but differ.
  std::vector<double> cells;
};

/// Returns the heat map of two tensors with the same shape and at least one element, reading both
/// block by block.
HeatMap heat_map(const Tensor& a, const Tensor& b);

}  // namespace safestructures::cli
