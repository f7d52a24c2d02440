/// \file
/// The distances between runs that should give the same results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/metrics/tensor_pair.hpp"
#include "compare/noise/noise_records.hpp"
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {

/// The further runs of a comparison.
class Noise {
 public:
  /// Opens the runs that are given as paths. \throws Error `invalid_argument` if a file is compared
  /// with recordings or a recording with files, or if the factor is invalid; whatever is wrong with
  /// a file
  Noise(const CompareOptions& options, bool of_recordings);

  /// The numbers of one run.
  struct Numbers {
    Tensor tensor;
    std::optional<DType> recorded;
  };
  /// One further run.
  struct Run {
    std::string file;  ///< The file, or the folder of the recording; empty for a structure.
    /// For a recording: finds the records that are numbers or tensors. `nodes` holds those of the
    /// others.
    std::unique_ptr<const NoiseRecords> records;
    std::unordered_map<std::string, Numbers, detail::KeyedHash> nodes;

    /// Returns the candidates for a row: what has its names in a, in b, or in either.
    [[nodiscard]] std::vector<Numbers> find_all(const ComparisonRow& row) const;

   private:
    /// \param label of the row in one of the sides
    [[nodiscard]] std::optional<Numbers> find(const std::string& label,
                                              const std::optional<RecordPlace>& record) const;
  };

  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  [[nodiscard]] const std::vector<Run>& runs() const noexcept { return runs_; }
  /// `CompareOptions::noise_factor`.
  [[nodiscard]] double factor() const noexcept { return factor_; }
  /// Returns the noise floor of tensors whose row has its path, record and metrics. Null if no run
  /// has them in this shape.
  [[nodiscard]] std::optional<NoiseFloor> floor(const ComparisonRow& row,
                                                const TensorPair& tensors) const;

 private:
  /// \param run an opened run
  void add(const NoiseRun& run);

  std::vector<Run> runs_;
  double factor_;
};

}  // namespace safestructures::inline v0::comparing
