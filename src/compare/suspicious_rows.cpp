// Selects the rows that are checked for the usual faults.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compare/pairs.hpp"
#include "compare/suspicions/suspicion.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {

std::vector<std::size_t> Comparer::suspicious_rows() const {
  std::vector<std::size_t> rows;
  std::set<std::size_t> known;
  const auto add = [&](std::size_t row) {
    if (may_be_held(row) && known.insert(row).second) rows.push_back(row);
  };
  for (const Culprit& culprit : result_.culprits) add(culprit.row);
  if (const auto first = rows_.first_divergence()) add(*first);
  if (!result_.is_of_recordings)
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_.verdict(i) == Verdict::different) add(i);
  return rows;
}

std::vector<Comparer::Input> Comparer::inputs_of(const ComparisonRow& row) {
  // If the input has most of the error, it tells nothing about its layer.
  constexpr double like = 0.1;
  // Each input is one more pass over all numbers.
  constexpr std::size_t most_inputs = 4;
  if (!row.origin || !row.origin->input_row || !row.origin->input_error) return {Input{}};
  if (row.origin->error && *row.origin->input_error > like * *row.origin->error) return {Input{}};
  const std::size_t first = *row.origin->input_row;
  // If there are several: the one at the same place of its record, else those of the shape, else
  // the first.
  const auto place = [](const ComparisonRow& of) { return of.path.substr(of.record->name.size()); };
  std::vector<Input> found;
  bool are_alike = false;
  const std::uint64_t sequence = rows_.facts(first).sequence;
  for (std::size_t i = first; i < rows_.size() && rows_.facts(i).sequence == sequence; ++i) {
    const std::optional<Held> held = held_of(i);
    if (!held) continue;
    const ComparisonRow input = rows_.row(i);
    const bool is_alike = input.shape == row.shape;
    if (is_alike && place(input) == place(row)) return {{held->b, input.path}};
    if (!found.empty() && (!is_alike || found.size() == most_inputs)) continue;
    if (!are_alike) found.clear();
    are_alike = is_alike;
    found.push_back({held->b, input.path});
  }
  if (found.empty()) return {Input{}};
  return found;
}

void Comparer::suspect() {
  if (!options_.suggest) return;
  struct Job {
    ComparisonRow* row = nullptr;
    Held held;
    std::vector<Input> inputs;
    std::vector<IndexGrid> grids;
    std::size_t looked_at = 0;  // The number of grids to look at.

    [[nodiscard]] std::uint64_t next_cost() const {
      return inputs.size() * grids[looked_at].cost();
    }
    void suspect(Case& one, std::size_t grid) const {
      for (const Input& input : inputs) {
        if (!one.take(*held.a, *held.b, input.of_b, grids[grid])) return;
        one.permutation = row->permutation;
        std::vector<Suspicion> found = comparing::suspect(one);
        // Anything that the first input does not show is due to this one.
        for (Suspicion& suspicion : found)
          if (&input != inputs.data())
            suspicion.evidence += ", with " + input.path + " as the input";
        comparing::add(std::move(found), row->suspicions);
      }
    }
  };
  std::vector<Job> jobs;
  std::size_t not_looked_at = 0;
  for (const std::size_t index : suspicious_rows()) {
    if (jobs.size() == most_suspicious_rows) {
      ++not_looked_at;
      continue;
    }
    const Held held = held_of(index).value();
    ComparisonRow& row = rows_.whole(index);
    const std::uint64_t worst = row.metrics->worst ? row.metrics->worst->index : 0;
    jobs.push_back({&row, held, inputs_of(row), grids_of(held.a->shape(), worst)});
  }
  std::uint64_t left =
      std::max(result_.coverage.elements / suspected_share,
               result_.is_of_recordings ? least_suspected_of_recordings : least_suspected);
  std::uint64_t numbers = 0;
  const auto look_at = [&](Job& job) {
    if (job.looked_at == job.grids.size() || job.next_cost() > left) return false;
    left -= job.next_cost();
    numbers += job.grids[job.looked_at++].size();
    return true;
  };
  // First all of the most suspicious one, then one dimension of each of the others in turn.
  while (!jobs.empty() && look_at(jobs.front())) {
  }
  for (bool is_any = true; is_any;) {
    is_any = false;
    for (Job& job : jobs) is_any = look_at(job) || is_any;
  }
  const unsigned threads = platform::threads_for(numbers, suspected_thread_share);
  std::vector<Case> cases(threads);
  platform::in_pieces(
      jobs.size(), 1,
      [&](std::size_t i, std::size_t, unsigned worker) {
        for (std::size_t grid = 0; grid < jobs[i].looked_at; ++grid)
          jobs[i].suspect(cases[worker], grid);
      },
      threads);
  held_.clear();
  std::size_t looked_at_in_part = 0;
  for (const Job& job : jobs) {
    if (job.looked_at == 0) ++not_looked_at;
    else if (job.looked_at < job.grids.size()) ++looked_at_in_part;
  }
  const auto note = [&](std::string text, std::size_t tensors) {
    if (tensors != 0) result_.notes.push_back(std::move(text) + std::to_string(tensors));
  };
  note("tensors checked for the usual faults along only some dimensions: ", looked_at_in_part);
  note("further tensors not looked at for the usual faults: ", not_looked_at);
}

}  // namespace safestructures::inline v0::comparing
