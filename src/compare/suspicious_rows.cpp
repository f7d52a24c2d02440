// Which rows are looked at for the usual faults.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compare/pairs.hpp"
#include "compare/suspicion.hpp"

namespace safestructures::inline v0::comparing {

std::vector<std::size_t> Comparer::suspicious_rows() const {
  std::vector<std::size_t> rows;
  std::set<std::size_t> known;
  const auto add = [&](std::size_t row) {
    if (held_.contains(row) && known.insert(row).second) rows.push_back(row);
  };
  for (const Culprit& culprit : result_.culprits) add(culprit.row);
  const ComparisonRow* const first = result_.first_divergence();
  if (first != nullptr) add(static_cast<std::size_t>(first - result_.rows.data()));
  if (!result_.is_of_recordings)
    for (std::size_t i = 0; i < result_.rows.size(); ++i)
      if (result_.rows[i].verdict == Verdict::different) add(i);
  return rows;
}

const Tensor* Comparer::input_of(const ComparisonRow& row) const {
  // An input that has most of the error says nothing of its layer.
  constexpr double like = 0.1;
  if (!row.origin || !row.origin->input_row || !row.origin->input_error) return nullptr;
  if (row.origin->error && *row.origin->input_error > like * *row.origin->error) return nullptr;
  const std::size_t first = *row.origin->input_row;
  // Of several the one in the same place of its record, else the first of the shape.
  const auto place = [](const ComparisonRow& of) { return of.path.substr(of.record->name.size()); };
  const Tensor* found = nullptr;
  bool is_alike = false;
  for (std::size_t i = first; i < result_.rows.size(); ++i) {
    const ComparisonRow& input = result_.rows[i];
    if (input.record->sequence != result_.rows[first].record->sequence) break;
    const auto held = held_.find(i);
    if (held == held_.end()) continue;
    if (input.shape == row.shape && place(input) == place(row)) return &held->second.b;
    if (found != nullptr && (is_alike || input.shape != row.shape)) continue;
    is_alike = input.shape == row.shape;
    found = &held->second.b;
  }
  return found;
}

void Comparer::suspect() {
  if (!options_.suggest) return;
  std::size_t too_large = 0;
  std::size_t not_looked_at = 0;
  std::size_t done = 0;
  // Of recordings it is the culprits, which are few; of files all that differs.
  const std::uint64_t most = result_.is_of_recordings
                                 ? most_suspected_in_all
                                 : std::clamp(result_.coverage.elements / suspected_share,
                                              most_suspected, most_suspected_in_all);
  std::uint64_t numbers = 0;
  Case one;
  for (const std::size_t index : suspicious_rows()) {
    ComparisonRow& row = result_.rows[index];
    const Held& held = held_.at(index);
    if (held.a.size() > most_suspected) {
      ++too_large;
      continue;
    }
    if (done == most_suspicious_rows || numbers + held.a.size() > most) {
      ++not_looked_at;
      continue;
    }
    ++done;
    numbers += held.a.size();
    if (!one.take(held.a, held.b, input_of(row))) continue;
    one.permutation = row.permutation;
    row.suspicions = comparing::suspect(one);
  }
  held_.clear();
  if (too_large != 0)
    result_.notes.push_back(
        "tensors of more than " + std::to_string(most_suspected) +
        " numbers, not looked at for the usual faults: " + std::to_string(too_large));
  if (not_looked_at != 0)
    result_.notes.push_back("further tensors not looked at for the usual faults: " +
                            std::to_string(not_looked_at));
}

}  // namespace safestructures::inline v0::comparing
