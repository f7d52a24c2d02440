#include "compare/draft/rules.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace safestructures::inline v0::comparing {

Rules::Rules(const CompareOptions& all, bool for_recordings)
    : options(all),
      of_recordings(for_recordings),
      filter(all.only, all.ignore),
      renames(all.renames),
      noise(all, for_recordings),
      tolerances(all) {}

std::vector<std::string> Rules::unused() const {
  std::vector<std::string> notes = renames.unused();
  std::ranges::move(filter.unused(), std::back_inserter(notes));
  std::ranges::move(tolerances.unused(), std::back_inserter(notes));
  return notes;
}

}  // namespace safestructures::inline v0::comparing
