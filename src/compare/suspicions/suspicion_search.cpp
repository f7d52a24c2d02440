#include "compare/suspicions/suspicion_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/suspicions/suspicion.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Returns the rows that are worth checking, the most suspicious first.
std::vector<std::size_t> suspicious_rows(const Draft& draft) {
  std::vector<std::size_t> rows;
  std::set<std::size_t> known;
  const auto add = [&](std::size_t row) {
    if (draft.held.can_find(row) && known.insert(row).second) rows.push_back(row);
  };
  for (const Culprit& culprit : draft.result.culprits) add(culprit.row);
  if (const auto first = draft.rows.first_divergence()) add(*first);
  if (!draft.result.is_of_recordings)
    for (std::size_t i = 0; i < draft.rows.size(); ++i)
      if (draft.rows.verdict(i) == Verdict::different) add(i);
  return rows;
}

/// An input of a layer.
struct LayerInput {
  const Tensor* of_b = nullptr;  ///< Null if unknown.
  std::string path;
};

/// Whether the origin of a row tells its input, and most of the error is not the input's: else that
/// tells nothing about its layer.
bool has_telling_input(const ComparisonRow& row) {
  constexpr double like = 0.1;
  if (!row.origin || !row.origin->input_row || !row.origin->input_error) return false;
  return !row.origin->error || *row.origin->input_error <= like * *row.origin->error;
}

/// Returns the path in its record.
std::string path_in_record(const ComparisonRow& row) {
  return row.path.substr(row.record->name.size());
}

/// Returns the inputs of a row's layer that are known and nearly equal in both; at least one
/// element. If there are several: the one at the same place of its record, else those of the shape,
/// else the first.
std::vector<LayerInput> inputs_of(const ComparisonRow& row, const Draft& draft) {
  // Each input is one more pass over all numbers.
  constexpr std::size_t most_inputs = 4;
  if (!has_telling_input(row)) return {LayerInput{}};
  const std::size_t first = *row.origin->input_row;
  std::vector<LayerInput> found;
  bool are_alike = false;
  const std::uint64_t sequence = draft.rows.facts(first).sequence;
  for (std::size_t i = first; i < draft.rows.size() && draft.rows.facts(i).sequence == sequence;
       ++i) {
    const std::optional<TensorPair> tensors = draft.held.find(i);
    if (!tensors) continue;
    const ComparisonRow input = draft.rows.row(i);
    const bool is_alike = input.shape == row.shape;
    if (is_alike && path_in_record(input) == path_in_record(row)) return {{tensors->b, input.path}};
    if (!found.empty() && (!is_alike || found.size() == most_inputs)) continue;
    if (!are_alike) found.clear();
    are_alike = is_alike;
    found.push_back({tensors->b, input.path});
  }
  if (found.empty()) return {LayerInput{}};
  return found;
}

/// A row that is checked.
class Suspect {
 public:
  Suspect(ComparisonRow& row, const TensorPair& tensors, std::vector<LayerInput> inputs)
      : row_(&row), tensors_(tensors), inputs_(std::move(inputs)) {
    const std::uint64_t worst = row.metrics->worst ? row.metrics->worst->index : 0;
    grids_ = grids_of(tensors.a->shape(), worst);
  }

  /// Includes the next dimension in the check, if its cost does not exceed the budget, and deducts
  /// that. \returns how many numbers that adds; null if none
  std::optional<std::uint64_t> include_next(std::uint64_t& budget) {
    if (is_checked_whole()) return std::nullopt;
    const std::uint64_t cost = inputs_.size() * grids_[included_].cost();
    if (cost > budget) return std::nullopt;
    budget -= cost;
    return grids_[included_++].size();
  }
  [[nodiscard]] bool is_checked() const { return included_ != 0; }
  [[nodiscard]] bool is_checked_whole() const { return included_ == grids_.size(); }

  /// Adds what is found to the row. \param room reused
  void check(Case& room) const {
    for (std::size_t i = 0; i < included_; ++i) check(room, grids_[i]);
  }

 private:
  void check(Case& room, const IndexGrid& grid) const {
    for (const LayerInput& input : inputs_) {
      if (!room.take(*tensors_.a, *tensors_.b, input.of_b, grid)) return;
      room.permutation = row_->permutation;
      const BothDTypes dtypes = tensors_.dtypes();
      room.dtype_a = dtypes.a.effective();
      room.dtype_b = dtypes.b.effective();
      std::vector<Suspicion> found = suspect(room);
      // Anything that the first input does not show is due to this one.
      for (Suspicion& suspicion : found)
        if (&input != inputs_.data())
          suspicion.evidence += ", with " + input.path + " as the input";
      add(std::move(found), row_->suspicions);
    }
  }

  ComparisonRow* row_;
  TensorPair tensors_;
  std::vector<LayerInput> inputs_;
  std::vector<IndexGrid> grids_;
  std::size_t included_ = 0;  // How many of the grids are checked.
};

/// Returns at most `most_suspicious_rows`.
std::vector<Suspect> suspects_of(Draft& draft, std::span<const std::size_t> rows) {
  std::vector<Suspect> suspects;
  for (const std::size_t index : rows.first(std::min(rows.size(), most_suspicious_rows))) {
    const TensorPair tensors = draft.held.find(index).value();
    ComparisonRow& row = draft.rows.whole(index);
    suspects.emplace_back(row, tensors, inputs_of(row, draft));
  }
  return suspects;
}

/// Returns how many numbers may be looked at.
std::uint64_t budget_of(const Comparison& result) {
  return std::max(result.coverage.elements / suspected_share,
                  result.is_of_recordings ? least_suspected_of_recordings : least_suspected);
}

/// Includes first all dimensions of the most suspicious one, then one of each of the others in
/// turn. \returns how many numbers are looked at
std::uint64_t spend(std::uint64_t budget, std::span<Suspect> suspects) {
  std::uint64_t numbers = 0;
  const auto include_next = [&](Suspect& suspect) {
    const std::optional<std::uint64_t> more = suspect.include_next(budget);
    numbers += more.value_or(0);
    return more.has_value();
  };
  while (!suspects.empty() && include_next(suspects.front())) {
  }
  for (bool is_any = true; is_any;) {
    is_any = false;
    for (Suspect& suspect : suspects) is_any = include_next(suspect) || is_any;
  }
  return numbers;
}

void check_all(std::span<const Suspect> suspects, std::uint64_t numbers) {
  const unsigned threads = platform::threads_for(numbers, suspected_thread_share);
  std::vector<Case> rooms(threads);
  platform::in_pieces(
      suspects.size(), 1,
      [&](std::size_t i, std::size_t, unsigned worker) { suspects[i].check(rooms[worker]); },
      threads);
}

/// \param skipped how many suspicious rows are not among them
void note_unchecked(std::span<const Suspect> suspects, std::size_t skipped, Comparison& result) {
  std::size_t in_part = 0;
  for (const Suspect& suspect : suspects) {
    if (!suspect.is_checked()) ++skipped;
    else if (!suspect.is_checked_whole()) ++in_part;
  }
  const auto note = [&](std::string text, std::size_t tensors) {
    if (tensors != 0) result.notes.push_back(std::move(text) + std::to_string(tensors));
  };
  note("tensors checked for the usual faults along only some dimensions: ", in_part);
  note("further tensors not looked at for the usual faults: ", skipped);
}

}  // namespace

void look_for_suspicions(const Rules& rules, Draft& draft) {
  if (!rules.options.suggest) return;
  const std::vector<std::size_t> rows = suspicious_rows(draft);
  std::vector<Suspect> suspects = suspects_of(draft, rows);
  check_all(suspects, spend(budget_of(draft.result), suspects));
  note_unchecked(suspects, rows.size() - suspects.size(), draft.result);
}

}  // namespace safestructures::inline v0::comparing
