/// \file
/// How far apart runs are that should be the same.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {

/// The further runs of a comparison.
class Noise {
 public:
  /// Opens the runs that are paths. \throws Error `invalid_argument` for a file beside recordings,
  /// a recording beside files, or a factor that cannot be; what is wrong with a file
  Noise(const CompareOptions& options, bool of_recordings);

  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  /// The floor of a tensor whose row has its path, record and metrics. Nothing where no run has it
  /// in its shape.
  [[nodiscard]] std::optional<NoiseFloor> floor(const ComparisonRow& row, const Tensor& a,
                                                const Tensor& b,
                                                const RecordedDTypes& recorded) const;

 private:
  struct Numbers {
    Tensor tensor;
    std::optional<DType> recorded;
  };
  using Run = std::unordered_map<std::string, Numbers, detail::KeyedHash>;

  void add(const NoiseRun& run, const CompareOptions& options, bool of_recordings);

  std::vector<Run> runs_;
  double factor_;
};

}  // namespace safestructures::inline v0::comparing
