/// \file
/// What the options ask for in a comparison.
#pragma once

#include <string>
#include <vector>

#include <safestructures/compare/options.hpp>
#include "compare/draft/tolerances.hpp"
#include "compare/noise/noise.hpp"
#include "compare/pairing/filter.hpp"
#include "compare/pairing/rename.hpp"

namespace safestructures::inline v0::comparing {

/// The options, which must outlive it, in the form in which they are applied: what is compared,
/// with what, and how close it must be. Each part notes which of its rules had an effect.
struct Rules {
  /// Opens the further runs. \throws Error `invalid_argument`; whatever is wrong with a run
  Rules(const CompareOptions& all, bool for_recordings);

  /// Returns a note on each rule without an effect.
  [[nodiscard]] std::vector<std::string> unused() const;

  const CompareOptions& options;
  bool of_recordings;  ///< Whether recordings are compared.
  Filter filter;
  Renames renames;
  Noise noise;
  Tolerances tolerances;
};

}  // namespace safestructures::inline v0::comparing
