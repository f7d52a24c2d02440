/// \file
/// Malformed safetensors containers, one for each rule of the format and each way to break it, with
/// the exact error.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "case.hpp"
#include "description_cases.hpp"
#include "length_and_json_cases.hpp"
#include "range_cases.hpp"

namespace safestructures::malformed {

inline std::vector<Case> safetensors_cases() {
  std::vector<Case> all = length_and_json_cases();
  for (std::vector<Case> more : {description_cases(), range_cases()})
    std::ranges::move(more, std::back_inserter(all));
  return all;
}

}  // namespace safestructures::malformed
