#include "compare/small_records.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "compare/metrics/noise_floor.hpp"
#include "compare/noise/small_noise.hpp"
#include "compare/rows/row_bytes.hpp"
#include "compare/rows/row_metrics.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

// Both sides of a piece fit into a second-level cache.
constexpr std::uint64_t most_bytes = std::uint64_t{128} << 10U;
// Reading this little takes as long as requesting it.
constexpr std::uint64_t least_bytes = most_bytes / 4;

/// Returns the bytes of both sides in a piece, given those of all. Fewer bytes mean smaller pieces,
/// because the first touch of the memory for a piece takes five times as long as reading it.
std::uint64_t piece_of(std::uint64_t bytes) {
  return std::clamp(bytes / 24, least_bytes, most_bytes);
}

constexpr std::size_t most_in_piece = 2048;
// The least work for a thread, in bytes of both sides: starting it takes as long as 300 rows.
constexpr std::size_t thread_share = std::size_t{1} << 19U;
// Metrics are allocated in blocks, so that those of a thread are adjacent.
constexpr std::size_t most_together = 256;

/// Returns how many metrics threads may leave unused in their last blocks.
std::size_t spare_metrics(std::size_t rows) { return rows / 8 + 16; }

CompactRow row_of(const RecordPair& pair, std::uint32_t kind) {
  CompactRow row;
  row.record = static_cast<std::uint32_t>(pair.a);
  row.kind = kind;
  row.match = pair.match;
  return row;
}

std::uint64_t call_of(recording::RecordCursor& records, std::size_t record) {
  const RecordTable::Place place = records.at(record);
  return place.part->segment->columns().call[place.record];
}

/// \param size bytes of the record
void add_bytes(const recording::StoredRecord& record, std::size_t size, RowBytes& bytes) {
  bytes.add(record.value->tensor(), record.is_row() ? static_cast<std::uint64_t>(record.row) : 0,
            size);
}

/// Allocates indices of metrics for one thread.
class MetricsPlaces {
 public:
  /// \param taken shared by all threads \param together how many indices to take at once
  MetricsPlaces(std::atomic<std::size_t>& taken, std::size_t together)
      : taken_(&taken), together_(together) {}

  [[nodiscard]] std::size_t next() {
    if (next_ == end_) end_ = (next_ = taken_->fetch_add(together_)) + together_;
    return next_;
  }
  void use() noexcept { ++next_; }

 private:
  std::atomic<std::size_t>* taken_;
  std::size_t together_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

struct SmallRecords::Worker {
  Worker(const RowKinds::Finder& start, std::atomic<std::size_t>& taken, std::size_t together)
      : finder(start), places_of_metrics(taken, together) {}

  RowKinds::Finder finder;
  std::vector<const CompactKind*> kinds;  // For the rows of a piece.

  RowBytes bytes_a;
  RowBytes bytes_b;
  std::unique_ptr<RowMetrics> metrics = std::make_unique_for_overwrite<RowMetrics>();
  MetricsPlaces places_of_metrics;
  std::optional<SmallNoise> noise;   // Null if there are no further runs.
  std::vector<std::size_t> unusual;  // Compact rows.
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t without_noise = 0;
  std::uint64_t large_noise = 0;
};

SmallRecords::SmallRecords(const RecordTable& a, const RecordTable& b, const RecordPairs& pairs,
                           const CompareOptions& options, Comparer& comparer)
    : a_(a), b_(b), pairs_(pairs), options_(options), comparer_(comparer) {
  // Rows and metrics have 32-bit indices.
  if (std::max(a.size(), b.size()) > CompactRow::none / 2) return;
  kinds_.emplace(a, b, options, comparer);
  finder_.emplace(*kinds_);
  CompactRows& compact = comparer.rows().compact();
  for (const RecordTable::Part& part : a.parts())
    compact.records.push_back({part.begin, part.skipped, part.segment->columns()});
  recording::RecordCursor records_a(a);
  recording::RecordCursor records_b(b);
  for (const RecordPair& pair : pairs.pairs) {
    if (pair.match == RecordMatch::call) continue;
    const std::uint64_t call = call_of(records_b, pair.b);
    if (call != call_of(records_a, pair.a)) compact.other_calls.emplace_back(pair.a, call);
  }
  const std::size_t most = std::min(a.size(), b.size());
  compact.reserve(most, most + spare_metrics(most), comparer.result().has_noise);
}

bool SmallRecords::add(const RecordPair& pair) {
  if (!finder_) return false;
  const std::optional<RowKinds::Found> found = finder_->find(pair);
  if (!found) return false;
  if (found->kind == nullptr) {
    ++comparer_.result().coverage.filtered;
    return true;
  }
  CompactRows& compact = comparer_.rows().compact();
  compact.rows[compact.size] = row_of(pair, found->place);
  comparer_.rows().add_compact(1);
  bytes_ += found->kind->size_a + found->kind->size_b;
  return true;
}

std::optional<std::uint64_t> SmallRecords::bytes_of(std::size_t count) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<RowKinds::Found> found = finder_->find(pairs_[i]);
    if (!found || found->kind == nullptr) return std::nullopt;
    bytes += found->kind->size_a + found->kind->size_b;
  }
  return bytes;
}

template <class Work>
std::vector<SmallRecords::Worker> SmallRecords::in_pieces(std::size_t rows, std::uint64_t bytes,
                                                          const Work& work) {
  const std::size_t piece = std::clamp<std::size_t>(
      static_cast<std::size_t>(piece_of(bytes) * rows / bytes), 1, most_in_piece);
  const unsigned threads = platform::threads_for(static_cast<std::size_t>(bytes), thread_share);
  const std::size_t together =
      std::clamp<std::size_t>(spare_metrics(rows) / threads, 1, most_together);
  std::atomic<std::size_t> taken = 0;
  std::vector<Worker> workers;
  workers.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    Worker& worker = workers.emplace_back(*finder_, taken, together);
    if (comparer_.result().has_noise)
      worker.noise.emplace(comparer_.noise(), a_, comparer_.rows().compact());
  }
  std::atomic<std::uint64_t> done = 0;
  platform::in_pieces(
      rows, piece,
      [&](std::size_t begin, std::size_t count, unsigned worker) {
        done += work(begin, count, workers[worker]);
        if (worker == 0 && options_.progress) comparer_.report(done.exchange(0));
      },
      threads);
  if (options_.progress && done != 0) comparer_.report(done);
  return workers;
}

bool SmallRecords::measure_all() {
  const std::size_t rows = pairs_.size();
  if (!kinds_ || rows == 0 || rows != a_.size() || rows != b_.size()) return false;
  // Usually the first step has every name, so that a record of another type is found there.
  const std::size_t seen = options_.progress ? rows : std::min(rows, a_.names().size());
  const std::optional<std::uint64_t> bytes = bytes_of(seen);
  if (!bytes) return false;
  if (options_.progress) comparer_.expect(*bytes);
  std::atomic<bool> are_all = true;
  const std::vector<Worker> workers =
      in_pieces(rows, *bytes / seen * rows,
                [&](std::size_t begin, std::size_t count, Worker& worker) -> std::uint64_t {
                  if (are_all && find(begin, count, worker)) return measure(begin, count, worker);
                  are_all = false;
                  return 0;
                });
  if (!are_all) return false;
  comparer_.rows().add_compact(rows);
  take(workers);
  return true;
}

void SmallRecords::measure() {
  const CompactRows& compact = comparer_.rows().compact();
  if (compact.size == 0) return;
  comparer_.expect(bytes_);
  take(in_pieces(compact.size, bytes_, [&](std::size_t begin, std::size_t count, Worker& worker) {
    worker.kinds.clear();
    for (const CompactRow& row : std::span(compact.rows + begin, count))
      worker.kinds.push_back(&compact.kinds[row.kind]);
    return measure(begin, count, worker);
  }));
}

void SmallRecords::take(const std::vector<Worker>& workers) {
  Coverage& coverage = comparer_.result().coverage;
  std::vector<std::size_t> unusual;
  for (const Worker& worker : workers) {
    coverage.tensors += worker.tensors;
    coverage.elements += worker.elements;
    coverage.compared_elements += worker.elements;
    coverage.without_noise += worker.without_noise;
    coverage.large_noise += worker.large_noise;
    unusual.insert(unusual.end(), worker.unusual.begin(), worker.unusual.end());
  }
  std::ranges::sort(unusual);
  for (const std::size_t row : unusual)
    comparer_.hold_compact(comparer_.rows().place_of_compact(row));
}

bool SmallRecords::find(std::size_t begin, std::size_t count, Worker& worker) {
  CompactRow* const rows = comparer_.rows().compact().rows;
  worker.kinds.clear();
  for (std::size_t i = begin; i < begin + count; ++i) {
    const RecordPair pair = pairs_[i];
    const std::optional<RowKinds::Found> found = worker.finder.find(pair);
    if (!found || found->kind == nullptr) return false;
    rows[i] = row_of(pair, found->place);
    worker.kinds.push_back(found->kind);
  }
  return true;
}

std::uint64_t SmallRecords::measure(std::size_t begin, std::size_t count, Worker& worker) {
  std::uint64_t bytes = 0;
  for (std::size_t done = 0; done < count;) {
    const Kinds rest = Kinds(worker.kinds).subspan(done);
    const std::size_t read = this->read(begin + done, rest, worker);
    bytes += compare(begin + done, rest.first(read), worker);
    done += read;
  }
  return bytes;
}

std::size_t SmallRecords::read(std::size_t begin, Kinds kinds, Worker& worker) {
  const CompactRow* const rows = comparer_.rows().compact().rows;
  recording::RecordCursor a(a_);
  recording::RecordCursor b(b_);
  worker.bytes_a.clear();
  worker.bytes_b.clear();
  if (worker.noise) worker.noise->clear();
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  // A piece of average size may consist of the largest records.
  for (; count < kinds.size() && bytes < 2 * most_bytes; ++count) {
    const RecordPair pair = pairs_[rows[begin + count].record];
    const CompactKind& kind = *kinds[count];
    add_bytes(a.stored_at(pair.a), kind.size_a, worker.bytes_a);
    add_bytes(b.stored_at(pair.b), kind.size_b, worker.bytes_b);
    if (worker.noise) worker.noise->add(rows[begin + count], kind);
    bytes += kind.size_a + kind.size_b;
  }
  worker.bytes_a.read();
  worker.bytes_b.read();
  if (worker.noise) worker.noise->read();
  return count;
}

std::uint64_t SmallRecords::compare(std::size_t begin, Kinds kinds, Worker& worker) {
  CompactRows& compact = comparer_.rows().compact();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CompactRow& row = compact.rows[begin + i];
    const CompactKind& kind = *kinds[i];
    const std::size_t metrics = worker.places_of_metrics.next();
    CompactMetrics& measured = compact.metrics[metrics];
    RowMetrics::Found found =
        worker.metrics->measure(worker.bytes_a[i], worker.bytes_b[i], kind, row, measured);
    if (worker.noise && found != RowMetrics::Found::unusual) {
      const SmallNoise::Sides sides{worker.bytes_a[i], worker.bytes_b[i],
                                    found == RowMetrics::Found::exact ? nullptr : &measured};
      CompactNoise& noise = compact.noise[begin + i];
      if (!worker.noise->judge(i, sides, kind, *worker.metrics, row, noise))
        found = RowMetrics::Found::unusual;
      else if (noise.runs == 0) ++worker.without_noise;
      else if (found == RowMetrics::Found::inexact && measured.beyond != 0 &&
               row.verdict == Verdict::close && is_as_large_as_numbers(*noise.floor()))
        ++worker.large_noise;
    }
    if (found == RowMetrics::Found::unusual) {
      // It becomes a whole row, and is compared as such.
      if (worker.noise) compact.noise[begin + i] = {};
      worker.unusual.push_back(begin + i);
      continue;
    }
    if (found == RowMetrics::Found::inexact) {
      row.metrics = static_cast<std::uint32_t>(metrics);
      worker.places_of_metrics.use();
    }
    ++worker.tensors;
    worker.elements += kind.count;
    bytes += kind.size_a + kind.size_b;
  }
  return bytes;
}

}  // namespace safestructures::inline v0::comparing
