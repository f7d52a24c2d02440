/// \file
/// How far apart runs are that should be the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/noise/noise_records.hpp"
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {

/// The further runs of a comparison.
class Noise {
 public:
  /// Opens the runs that are paths. \throws Error `invalid_argument` for a file beside recordings,
  /// a recording beside files, or a factor that cannot be; what is wrong with a file
  Noise(const CompareOptions& options, bool of_recordings);

  /// The numbers of one run.
  struct Numbers {
    Tensor tensor;
    std::optional<DType> recorded;
  };
  /// One further run.
  struct Run {
    /// Of a recording; it finds those that are a number or a tensor, and has nodes of the others.
    std::unique_ptr<const NoiseRecords> records;
    std::unordered_map<std::string, Numbers, detail::KeyedHash> nodes;

    /// What may be meant by a row: what has the names of a, of b, or of either.
    [[nodiscard]] std::vector<Numbers> find_all(const ComparisonRow& row) const;

   private:
    /// \param label of a row, in one of the sides
    [[nodiscard]] std::optional<Numbers> find(const std::string& label,
                                              const std::optional<RecordPlace>& record) const;
  };

  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  [[nodiscard]] const std::vector<Run>& runs() const noexcept { return runs_; }
  /// `CompareOptions::noise_factor`.
  [[nodiscard]] double factor() const noexcept { return factor_; }
  /// The floor of a tensor whose row has its path, record and metrics. Nothing where no run has it
  /// in its shape.
  [[nodiscard]] std::optional<NoiseFloor> floor(const ComparisonRow& row, const Tensor& a,
                                                const Tensor& b,
                                                const RecordedDTypes& recorded) const;

 private:
  /// \param run that was opened
  void add(const NoiseRun& run);

  std::vector<Run> runs_;
  double factor_;
};

}  // namespace safestructures::inline v0::comparing
