/// \file
/// Lists the tensors of a file or a recording with their statistics, for commands.
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

/// A tensor, or its statistics if its record kept no more.
struct ListedTensor {
  /// As `ComparisonRow::path`: for a record its name, followed by the path in it unless that is the
  /// root.
  std::string path;
  std::optional<RecordPlace> record;
  std::string kept;  ///< For a record: `full`, `slice` or `statistics`.
  DType dtype = DType::F32;
  Shape shape;
  std::uint64_t bytes = 0;       ///< The size in the file; for statistics, that of the tensor.
  std::optional<Tensor> tensor;  ///< Nothing if only statistics were kept.
  /// Null until `fill_statistics` is called, unless statistics were kept. On the heap because it
  /// takes 1.3 KiB.
  std::unique_ptr<TensorStatistics> statistics;
};

/// The tensors that a command was asked to list.
struct TensorList {
  std::vector<ListedTensor> tensors;  ///< In the order of the structure, or of the calls.
  std::vector<std::string> notes;     ///< What is missing, one line each.
  bool is_of_recording = false;
};

/// How tensors are named whose keys have one text in one dict, such as 1 and "1".
enum class Paths : std::uint8_t {
  shared,    ///< Both are `/1`. Takes no memory for values that are no tensors.
  compared,  ///< As in the rows of a comparison: `/1~int` and `/1`.
};

/// Lists every tensor of an input. Tensors that the structure of a file does not use come last, by
/// name.
/// \throws Error for a record whose statistics are malformed
TensorList list_tensors(const Input& input, Paths paths = Paths::shared);

/// Keeps the tensors whose path matches one of the globs (all if there are none) and removes those
/// to be ignored.
/// \returns a note on each glob that matched nothing
std::vector<std::string> keep_matching(TensorList& list, const std::vector<std::string>& only,
                                       const std::vector<std::string>& ignore);

/// Keeps the tensors whose path matches a glob, or all if it is empty. Adds a note if none matches.
void keep_matching(TensorList& list, const std::string& glob);

/// Computes the statistics that were not kept, on two threads if that helps, showing progress on a
/// terminal.
/// \param what the name of the input
/// \throws Error naming it and the tensor
void fill_statistics(TensorList& list, const std::string& what);

}  // namespace safestructures::cli
