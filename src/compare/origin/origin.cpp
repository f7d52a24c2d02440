#include "compare/origin/origin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/origin/lineage.hpp"
#include "compare/rows/record_error.hpp"
#include "compare/rows/row_store.hpp"
#include "platform/parallel.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// A layer whose error is at least this many times that of its input makes some of its own.
constexpr double makes_error_from = 2;

/// The threads of a recording's records, looked up in order.
class Threads {
 public:
  explicit Threads(const recording::RecordTable& table) : table_(table) {}

  /// Returns the thread of a record; 0 if there is no record with that number or a later one.
  std::uint64_t of(std::uint64_t sequence) {
    for (; part_ < table_.parts().size(); ++part_, record_ = 0) {
      const recording::RecordTable::Part& part = table_.parts()[part_];
      const recording::ReadColumns& columns = part.segment->columns();
      record_ = std::max(record_, part.skipped);
      while (record_ < columns.sequence.size() && columns.sequence[record_] < sequence) ++record_;
      if (record_ < columns.sequence.size()) return columns.thread[record_];
    }
    return 0;
  }

 private:
  const recording::RecordTable& table_;
  std::size_t part_ = 0;
  std::size_t record_ = 0;  // Index in its segment.
};

/// Culprits by name.
class Culprits {
 public:
  void add(std::string_view name, std::size_t row, std::optional<double> score) {
    add({.name = {}, .row = row, .calls = 1, .score = score}, name);
  }
  /// Adds the culprits of later records.
  void add(const Culprits& later) {
    for (const auto& [name, place] : later.places_) add(later.found_[place], name);
  }

  /// Returns them by score; with equal scores, the first comes first.
  [[nodiscard]] std::vector<Culprit> ranked() {
    std::ranges::sort(found_, [](const Culprit& one, const Culprit& other) {
      const double score = one.score.value_or(HUGE_VAL);
      const double other_score = other.score.value_or(HUGE_VAL);
      return score > other_score || (score == other_score && one.row < other.row);
    });
    return std::move(found_);
  }

 private:
  void add(Culprit one, std::string_view name) {
    const auto [known, is_new] = places_.try_emplace(name, found_.size());
    if (is_new) {
      one.name = name;
      found_.push_back(std::move(one));
      return;
    }
    Culprit& culprit = found_[known->second];
    culprit.calls += one.calls;
    if (!culprit.score || !one.score) culprit.score.reset();
    else culprit.score = std::max(*culprit.score, *one.score);
  }

  std::vector<Culprit> found_;
  std::map<std::string_view, std::size_t> places_;
};

/// Traces records in order.
class Tracer {
 public:
  /// \param names of compact rows, indexed by kind
  Tracer(RowStore& rows, const recording::RecordTable& table, const std::vector<LayerName>& names)
      : rows_(rows), names_(names), records_(table), threads_(table) {}

  /// \param begin, end indices of rows, each the first of a record
  void trace(std::size_t begin, std::size_t end) {
    while (begin < end) {
      RowStore::CompactRun run = rows_.compact_run(begin);
      run.end = std::min(run.end, end);
      trace_compact(run);
      begin = run.end;
      if (begin < end && !rows_.is_kept_compact(begin)) begin = trace_whole(begin);
    }
  }

  [[nodiscard]] Culprits& culprits() { return culprits_; }

 private:
  /// For 100,000 records, checking for each whether it has several rows took as long as comparing
  /// its numbers.
  void trace_compact(const RowStore::CompactRun& run) {
    CompactRows& compact = rows_.compact();
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const std::size_t place = run.first + (i - run.begin);
      const CompactRow& row = compact.rows[place];
      const CompactKind& kind = compact.kinds[row.kind];
      const recording::RecordTable::Place at = records_.at(row.record);
      const recording::ReadColumns& columns = at.part->segment->columns();
      RecordError record;
      record.begin = i;
      record.end = i + 1;
      record.name = kind.path;
      record.step = columns.step[at.record];
      record.error = compact.error_of(place);
      record.least = compact.least_error_of(place, kind);
      record.shape = &kind.shape;
      const LayerName& name = names_[row.kind];
      enter(record.step, columns.thread[at.record]);
      Origin origin;
      find(record, name, origin);
      const bool makes_error = origin.is_new && is_difference(row.verdict);
      compact.trace(place, origin.traced, makes_error);
      if (makes_error)
        culprits_.add(record.name, i, score_of(origin.traced, record.error, record.least));
      leave(record, name);
    }
  }

  /// \returns the first row of the next record
  std::size_t trace_whole(std::size_t begin) {
    const RecordError record = record_error(rows_, begin);
    if (record.is_lone) return record.end;
    const LayerName name(record.name);
    enter(record.step, threads_.of(record.sequence));
    Origin origin;
    find(record, name, origin);
    std::optional<std::size_t> worst;
    double worst_error = 0;
    for (std::size_t i = record.begin; i < record.end; ++i) {
      ComparisonRow& row = rows_.whole(i);
      if (is_lone(row.verdict)) continue;
      row.makes_error = origin.is_new && is_difference(row.verdict);
      set_origin_of(row, origin.traced,
                    {.error = record.error, .input = origin.input_error, .least = record.least});
      if (!row.makes_error) continue;
      const double error = error_of(row);
      if (!worst || error > worst_error) {
        worst = i;
        worst_error = error;
      }
    }
    if (worst)
      culprits_.add(record.name, *worst, score_of(origin.traced, record.error, record.least));
    leave(record, name);
    return record.end;
  }

  void enter(std::int64_t step, std::uint64_t thread) {
    const std::pair now(step, thread);
    if (lineage_ != nullptr && now == key_) return;
    lineage_ = &lineages_.try_emplace(now, rows_).first->second;
    before_ = &largest_[step];
    key_ = now;
  }

  void find(const RecordError& record, const LayerName& name, Origin& origin) const {
    lineage_->find(record, name, origin);
    origin.traced.before = *before_;
    origin.is_new =
        !std::isinf(origin.traced.beside) && record.error > makes_error_from * origin.traced.beside;
  }

  void leave(const RecordError& record, const LayerName& name) {
    *before_ = std::max(*before_, record.error);
    lineage_->add(record, name);
  }

  RowStore& rows_;
  const std::vector<LayerName>& names_;
  recording::RecordCursor records_;
  Threads threads_;
  std::map<std::pair<std::int64_t, std::uint64_t>, Lineage> lineages_;
  std::map<std::int64_t, double> largest_;  // The largest errors, by step.
  Culprits culprits_;
  std::pair<std::int64_t, std::uint64_t> key_;
  Lineage* lineage_ = nullptr;  // For that step and thread.
  double* before_ = nullptr;    // For that step.
};

bool has_ascending_steps(const recording::RecordTable& table) {
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const recording::RecordTable::Part& part : table.parts()) {
    const auto steps = part.segment->columns().step.subspan(part.skipped);
    if (steps.front() < last || !std::ranges::is_sorted(steps)) return false;
    last = steps.back();
  }
  return true;
}

/// Returns the ends of parts of the rows that share no step: records are related only to others of
/// their step. Returns one part if there are few rows, or not all are compact.
std::vector<std::size_t> parts_of(const RowStore& rows, const recording::RecordTable& table) {
  // Waking a thread takes as long as 1,000 rows; the crew has already started it.
  constexpr std::size_t thread_share = std::size_t{1} << 12U;
  const std::size_t size = rows.size();
  const unsigned threads = platform::threads_for(size, thread_share);
  std::vector<std::size_t> ends;
  if (threads > 1 && rows.compact_run(0).end == size && has_ascending_steps(table)) {
    recording::RecordCursor cursor(table);
    const auto step_of = [&](std::size_t row) {
      const recording::RecordTable::Place at = cursor.at(rows.compact().rows[row].record);
      return at.part->segment->columns().step[at.record];
    };
    for (std::size_t k = 1; k < threads; ++k) {
      std::size_t end = size / threads * k;
      while (end < size && step_of(end) == step_of(end - 1)) ++end;
      if (end < size && (ends.empty() || end > ends.back())) ends.push_back(end);
    }
  }
  ends.push_back(size);
  return ends;
}

}  // namespace

void trace_errors(Comparison& comparison, const Recording& run) {
  if (comparison.rows.empty()) return;
  RowStore& rows = *RowStore::of(comparison.rows);
  const recording::RecordTable& table = recording::RecordTable::of(run);
  std::vector<LayerName> names;
  names.reserve(rows.compact().kinds.size());
  for (const CompactKind& kind : rows.compact().kinds) names.emplace_back(kind.path);
  const std::vector<std::size_t> ends = parts_of(rows, table);
  std::vector<Tracer> tracers(ends.size(), Tracer(rows, table, names));
  platform::in_pieces(
      ends.size(), 1,
      [&](std::size_t i, std::size_t, unsigned) {
        tracers[i].trace(i == 0 ? 0 : ends[i - 1], ends[i]);
      },
      static_cast<unsigned>(ends.size()));
  Culprits& culprits = tracers.front().culprits();
  for (std::size_t i = 1; i < tracers.size(); ++i) culprits.add(tracers[i].culprits());
  comparison.culprits = culprits.ranked();
}

}  // namespace safestructures::inline v0::comparing
