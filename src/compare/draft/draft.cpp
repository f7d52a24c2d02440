#include "compare/draft/draft.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace safestructures::inline v0::comparing {

Draft::Draft(const Rules& rules, NameOf sides)
    : rows(RowStore::make_for(result.rows)),
      held(rows),
      progress(rules.options),
      name_of(std::move(sides)) {
  result.is_of_recordings = rules.of_recordings;
  result.has_noise = !rules.noise.empty();
}

void Draft::count(Verdict verdict) {
  Coverage& coverage = result.coverage;
  if (verdict == Verdict::only_a) ++coverage.only_a;
  if (verdict == Verdict::only_b) ++coverage.only_b;
  if (verdict == Verdict::nothing) ++coverage.nothing;
}

void Draft::add_notes(const Rules& rules) {
  std::ranges::move(rules.unused(), std::back_inserter(result.notes));
  const auto note = [this](std::string text, std::uint64_t count) {
    if (count != 0) result.notes.push_back(std::move(text) + std::to_string(count));
  };
  note("tensors for which no further run measures the noise, so that only the tolerances decide: ",
       result.coverage.without_noise);
  note(
      "tensors accepted because of noise at least half as large as they are, as an unrelated run "
      "would give: ",
      result.coverage.large_noise);
  note("tensors compared by their statistics, which may hide differences of single numbers: ",
       result.coverage.statistics);
}

}  // namespace safestructures::inline v0::comparing
