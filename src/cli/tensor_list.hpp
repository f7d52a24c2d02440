/// \file
/// The tensors of a file or a recording with their statistics, for the commands that list them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/tools/statistics.hpp>
#include "cli/input.hpp"

namespace safestructures::cli {

/// A tensor, or of a record that kept no more of it, its statistics.
struct ListedTensor {
  /// As `ComparisonRow::path`: of a record its name, then the path in it unless that is the root.
  std::string path;
  std::optional<RecordPlace> record;
  std::string kept;  ///< Of a record: `full`, `slice` or `statistics`.
  DType dtype = DType::F32;
  Shape shape;
  std::uint64_t bytes = 0;       ///< In the file; of statistics, what the tensor would have.
  std::optional<Tensor> tensor;  ///< Nothing where statistics alone were kept.
  /// Null until `fill_statistics` was called, unless they are what was kept: 1.3 KiB.
  std::unique_ptr<TensorStatistics> statistics;
};

/// What a command was asked to list.
struct TensorList {
  std::vector<ListedTensor> tensors;  ///< In the order of the structure, or of the calls.
  std::vector<std::string> notes;     ///< What is missing, a line each.
  bool is_of_recording = false;
};

/// Every tensor of what is open. Of a file those that the structure does not use come last, by
/// their names. \throws Error for statistics in a record that are none
TensorList list_tensors(const Input& input);

/// Leaves those whose path one of the globs matches, all where there are none, and none that is to
/// be ignored. \returns a note on each glob that matched nothing
std::vector<std::string> keep_matching(TensorList& list, const std::vector<std::string>& only,
                                       const std::vector<std::string>& ignore = {});

/// Computes what was not kept, on two threads where that pays, with progress at a terminal.
/// \param what what was opened \throws Error naming it and the tensor
void fill_statistics(TensorList& list, const std::string& what);

}  // namespace safestructures::cli
