/// \file
/// What a comparison says of each row, in short.
#pragma once

#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>

namespace safestructures::tests {

/// Returns each row's path and verdict, such as `/x different`.
inline std::vector<std::string> verdicts_of(const Comparison& found) {
  std::vector<std::string> verdicts;
  for (const ComparisonRow& row : found.rows)
    verdicts.push_back(row.path + " " + std::string(to_string(row.verdict)));
  return verdicts;
}

}  // namespace safestructures::tests
