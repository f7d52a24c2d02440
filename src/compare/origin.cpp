#include "compare/origin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace safestructures::inline v0::comparing {
namespace {

/// A layer whose error is so many times what came in makes some of its own.
constexpr double makes_error_from = 2;

/// How large the error of a row is; infinite where it has no measure.
double error_of(const ComparisonRow& row) {
  if (row.metrics) {
    const TensorMetrics& found = *row.metrics;
    const NonFiniteCounts& other = found.non_finite;
    const bool is_finite = other.nan_only_a + other.nan_only_b + other.infinity_only_a +
                               other.infinity_only_b + other.infinity_signs ==
                           0;
    if (is_finite && found.relative_l2) return *found.relative_l2;
    if (is_finite && found.compared == 0) return 0;
  }
  if (row.statistics && row.statistics->relative_l2) return *row.statistics->relative_l2;
  return is_difference(row.verdict) ? HUGE_VAL : 0;
}

bool is_lone(const ComparisonRow& row) {
  return row.verdict == Verdict::only_a || row.verdict == Verdict::only_b;
}

/// What no layer does better: noise that was measured, or half a step of the dtype.
double least_error(const ComparisonRow& row) {
  if (row.noise && row.noise->relative_l2 && *row.noise->relative_l2 > 0)
    return *row.noise->relative_l2;
  const bool has_steps = row.metrics && row.metrics->ulp && row.metrics->ulp->binade > 0;
  return 0.5 / static_cast<double>(has_steps ? row.metrics->ulp->binade : 1U << 23U);
}

std::optional<double> measured(double error) {
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

/// The rows of one record.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name;
  double error = 0;
  double least = 0;
  bool is_different = false;
  const Shape* shape = nullptr;  // Of its first tensor.
};

Group next_group(const std::vector<ComparisonRow>& rows, std::size_t begin) {
  const RecordPlace& place = *rows[begin].record;
  Group group{.begin = begin, .end = begin, .name = place.name};
  const bool is_lone_record = is_lone(rows[begin]);
  for (; group.end < rows.size(); ++group.end) {
    const ComparisonRow& row = rows[group.end];
    // Those of b alone have its numbers.
    if (row.record->sequence != place.sequence || row.record->name != place.name) break;
    if (group.end != begin && is_lone_record) break;
    if (is_lone(row)) continue;
    const double error = error_of(row);
    if ((row.metrics || row.statistics) && (group.shape == nullptr || error > group.error))
      group.shape = &row.shape;
    group.error = std::max(group.error, error);
    group.least = std::max(group.least, least_error(row));
    group.is_different = group.is_different || is_difference(row.verdict);
  }
  return group;
}

std::string_view without_output(std::string_view name) {
  for (const std::string_view end : {".output", ".outputs", ".out"})
    if (name.ends_with(end) && name.size() > end.size())
      return name.substr(0, name.size() - end.size());
  return name;
}

/// The records of one step and thread so far.
class Trace {
 public:
  /// What went into a record, and what its error is beside that.
  /// \param is_new whether its error is more than what came in
  ErrorOrigin origin_of(const Group& group, bool& is_new) const {
    ErrorOrigin origin;
    const std::string_view layer = without_output(group.name);
    double input_error = 0;
    double beside = 0;  // What its error is measured against.
    const auto inputs = inputs_.find(layer);
    if (inputs != inputs_.end() && !layer_of_input(group.name)) {
      const Group* worst = nullptr;
      const std::vector<Group>& given = inputs->second.groups;
      for (const Group& one : given)
        if (worst == nullptr || one.error > worst->error) worst = &one;
      // What was recorded inside the layer last has the errors that its parts made.
      const Group* const inside = last_inside(std::string(layer) + ".", given.front().begin);
      if (inside != nullptr && inside->error > worst->error) worst = inside;
      origin.input_row = worst->begin;
      origin.evidence = InputEvidence::recorded;
      input_error = beside = worst->error;
    } else if (!before_.empty()) {
      const Group& last = before_.back();
      origin.input_row = last.begin;
      const bool is_alike =
          last.shape != nullptr && group.shape != nullptr && *last.shape == *group.shape;
      origin.evidence = is_alike ? InputEvidence::same_shape : InputEvidence::other_shape;
      input_error = last.error;
      beside = largest_;
    }
    origin.error = measured(group.error);
    origin.input_error = measured(input_error);
    if (origin.error && origin.input_error && input_error > 0)
      origin.amplification = group.error / input_error;
    // What has no measure and comes in passes on what has none.
    is_new = !std::isinf(beside) && group.error > makes_error_from * beside;
    const double score = std::isinf(beside) ? 0 : group.error / std::max(beside, group.least);
    if (std::isfinite(score)) origin.score = score;
    return origin;
  }

  void add(const Group& group) {
    if (const auto layer = layer_of_input(group.name)) {
      Inputs& inputs = inputs_[std::string(*layer)];
      // Another call of the layer has inputs of its own.
      if (std::exchange(inputs.are_used, false)) inputs.groups.clear();
      inputs.groups.push_back(group);
    } else if (const auto used = inputs_.find(without_output(group.name)); used != inputs_.end()) {
      used->second.are_used = true;
    }
    if (group.shape != nullptr) before_.push_back(group);
    largest_ = std::max(largest_, group.error);
  }

 private:
  /// The last record inside a layer since its input was recorded, other than inputs of the layer.
  [[nodiscard]] const Group* last_inside(const std::string& scope, std::size_t since) const {
    for (auto group = before_.rbegin(); group != before_.rend() && group->begin > since; ++group)
      if (group->name.starts_with(scope) &&
          layer_of_input(group->name).value_or("") != scope.substr(0, scope.size() - 1))
        return &*group;
    return nullptr;
  }

  /// What went into a layer, and whether its output was recorded since.
  struct Inputs {
    std::vector<Group> groups;
    bool are_used = false;
  };

  std::vector<Group> before_;
  std::map<std::string, Inputs, std::less<>> inputs_;
  double largest_ = 0;
};

/// Culprits by their names.
class Culprits {
 public:
  void add(const ComparisonRow& row, std::size_t index) {
    const auto [known, is_new] = places_.try_emplace(row.record->name, found_.size());
    if (is_new) {
      found_.push_back({row.record->name, index, 1, row.origin->score});
      return;
    }
    Culprit& culprit = found_[known->second];
    ++culprit.calls;
    if (!culprit.score || !row.origin->score) culprit.score.reset();
    else culprit.score = std::max(*culprit.score, *row.origin->score);
  }

  [[nodiscard]] std::vector<Culprit> ranked() {
    std::ranges::stable_sort(found_, [](const Culprit& one, const Culprit& other) {
      return one.score.value_or(HUGE_VAL) > other.score.value_or(HUGE_VAL);
    });
    return std::move(found_);
  }

 private:
  std::vector<Culprit> found_;
  std::map<std::string_view, std::size_t> places_;
};

}  // namespace

std::optional<std::string_view> layer_of_input(std::string_view record) {
  for (const std::string_view word : {".input", ".inputs"}) {
    const std::size_t at = record.rfind(word);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view rest = record.substr(at + word.size());
    if (rest.empty() || rest.front() == '.') return record.substr(0, at);
  }
  return std::nullopt;
}

void trace_errors(Comparison& comparison, const Recording& run) {
  std::vector<ComparisonRow>& rows = comparison.rows;
  std::map<std::pair<std::int64_t, std::uint64_t>, Trace> traces;
  std::map<std::int64_t, double> largest;
  Culprits culprits;
  auto record = run.begin();
  std::pair<std::int64_t, std::uint64_t> key;
  Trace* trace = nullptr;  // Of that step and thread.
  for (std::size_t begin = 0; begin < rows.size();) {
    const Group group = next_group(rows, begin);
    begin = group.end;
    if (is_lone(rows[group.begin]) && group.shape == nullptr && !group.is_different) continue;
    const RecordPlace& place = *rows[group.begin].record;
    while (record != run.end() && record->sequence() < place.sequence) ++record;
    const std::pair now(place.step, record == run.end() ? 0 : record->thread());
    if (trace == nullptr || now != key) trace = &traces[key = now];
    bool is_new = false;
    const ErrorOrigin origin = trace->origin_of(group, is_new);
    double& before = largest[place.step];
    std::optional<std::size_t> worst;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      if (is_lone(rows[i])) continue;
      rows[i].origin = origin;
      if (before > 0 && std::isfinite(before) && origin.error)
        rows[i].growth = *origin.error / before;
      rows[i].makes_error = is_new && is_difference(rows[i].verdict);
      if (rows[i].makes_error && (!worst || error_of(rows[i]) > error_of(rows[*worst]))) worst = i;
    }
    if (worst) culprits.add(rows[*worst], *worst);
    before = std::max(before, group.error);
    trace->add(group);
  }
  comparison.culprits = culprits.ranked();
}

}  // namespace safestructures::inline v0::comparing
