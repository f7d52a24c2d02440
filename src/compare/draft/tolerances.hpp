/// \file
/// The tolerance of each path.
#pragma once

#include <string>
#include <vector>

#include <safestructures/compare/options.hpp>
#include "compare/metrics/tensor_pair.hpp"
#include "compare/pairing/filter.hpp"

namespace safestructures::inline v0::comparing {

/// Applies the tolerances of the options, which must outlive it. Notes which rules decided
/// something. Safe to use from several threads at once.
class Tolerances {
 public:
  /// \throws Error `invalid_argument` for a tolerance that is negative or not finite
  explicit Tolerances(const CompareOptions& options);

  /// Returns the tolerance of a path; of two dtypes', the looser.
  [[nodiscard]] Tolerance of(const std::string& path, const BothDTypes& dtypes) const;
  /// Whether the options set the tolerance of a path.
  [[nodiscard]] bool are_given(const std::string& path, const BothDTypes& dtypes) const;
  /// Returns a note on each rule that had no effect.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  /// Returns the rule that decides; null if there is none.
  [[nodiscard]] const ToleranceRule* rule_of(const std::string& path, DType dtype) const;
  [[nodiscard]] Tolerance of(const std::string& path, DType dtype) const;

  const CompareOptions& options_;
  mutable UseMarks used_;
};

}  // namespace safestructures::inline v0::comparing
