#include "compare/small_records.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "compare/row_bytes.hpp"
#include "compare/row_metrics.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

// Both sides of a piece stay in a second-level cache.
constexpr std::uint64_t piece_bytes = std::uint64_t{128} << 10U;
constexpr std::size_t most_in_piece = 2048;
// What a thread takes at least, in bytes of both sides: starting it takes as long as 300 rows.
constexpr std::size_t thread_share = std::size_t{1} << 19U;
// The same of pairs of which the kind alone is looked up.
constexpr std::size_t pairs_share = std::size_t{1} << 14U;

CompactRow row_of(const RecordPair& pair, std::uint32_t kind) {
  CompactRow row;
  row.record = static_cast<std::uint32_t>(pair.a);
  row.kind = kind;
  return row;
}

RowPlace row_place(const RecordTable::Place& place, std::size_t size) {
  const recording::Segment& segment = *place.part->segment;
  const std::int32_t row = segment.is_row(place.record) ? segment.columns().row[place.record] : 0;
  return {&segment.stored(place.record).tensor(), static_cast<std::uint64_t>(row), size};
}

/// Metrics are handed out in blocks, so that those that are used lie together.
class MetricsPlaces {
 public:
  static constexpr std::size_t block = 256;

  /// \param taken by all
  explicit MetricsPlaces(std::atomic<std::size_t>& taken) : taken_(&taken) {}

  [[nodiscard]] std::size_t next() {
    if (next_ == end_) end_ = (next_ = taken_->fetch_add(block)) + block;
    return next_;
  }
  void use() noexcept { ++next_; }

 private:
  std::atomic<std::size_t>* taken_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

struct SmallRecords::Worker {
  explicit Worker(std::atomic<std::size_t>& taken) : places_of_metrics(taken) {}

  RowBytes bytes_a;
  RowBytes bytes_b;
  std::vector<RowPlace> places_a;
  std::vector<RowPlace> places_b;
  std::unique_ptr<RowMetrics> metrics = std::make_unique_for_overwrite<RowMetrics>();
  MetricsPlaces places_of_metrics;
  std::vector<std::size_t> unusual;  // Compact rows.
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
};

SmallRecords::SmallRecords(const RecordTable& a, const RecordTable& b, const RecordPairs& pairs,
                           const CompareOptions& options, Comparer& comparer)
    : a_(a), b_(b), pairs_(pairs), options_(options), comparer_(comparer) {
  // What the noise allows is looked up tensor by tensor.
  if (comparer.result().has_noise) return;
  // Rows and metrics have their places in 32 bits.
  if (std::max(a.size(), b.size()) > CompactRow::none / 2) return;
  kinds_.emplace(a, b, options, comparer);
  finder_.emplace(*kinds_);
  CompactRows& compact = comparer.rows().compact();
  for (const RecordTable::Part& part : a.parts())
    compact.records.push_back({part.begin, part.skipped, part.segment->columns()});
  compact.reserve(std::min(a.size(), b.size()));
}

bool SmallRecords::add_all() {
  if (!kinds_ || pairs_.size() == 0 || pairs_.size() != a_.size() || pairs_.size() != b_.size())
    return false;
  CompactRow* const rows = comparer_.rows().compact().rows;
  std::atomic<bool> are_all = true;
  std::atomic<std::uint64_t> bytes = 0;
  const unsigned threads = platform::threads_for(pairs_.size(), pairs_share);
  std::vector<RowKinds::Finder> finders(threads, RowKinds::Finder(*kinds_));
  platform::in_pieces(
      pairs_.size(), pairs_share,
      [&](std::size_t begin, std::size_t count, unsigned worker) {
        if (!are_all) return;
        RowKinds::Finder& finder = finders[worker];
        std::uint64_t size = 0;
        for (std::size_t i = begin; i < begin + count; ++i) {
          const RecordPair pair = pairs_[i];
          const std::optional<RowKinds::Found> found = finder.find(pair);
          if (!found || found->kind == RowKinds::none) {
            are_all = false;
            return;
          }
          rows[i] = row_of(pair, found->kind);
          size += found->size;
        }
        bytes += size;
      },
      threads);
  if (!are_all) return false;
  comparer_.rows().add_compact(pairs_.size());
  bytes_ = bytes;
  return true;
}

bool SmallRecords::add(const RecordPair& pair) {
  if (!finder_) return false;
  const std::optional<RowKinds::Found> found = finder_->find(pair);
  if (!found) return false;
  if (found->kind == RowKinds::none) {
    ++comparer_.result().coverage.filtered;
    return true;
  }
  CompactRows& compact = comparer_.rows().compact();
  compact.rows[compact.size] = row_of(pair, found->kind);
  comparer_.rows().add_compact(1);
  bytes_ += found->size;
  return true;
}

void SmallRecords::measure() {
  const std::size_t rows = comparer_.rows().compact().size;
  if (rows == 0) return;
  comparer_.expect(bytes_);
  const std::size_t piece = std::clamp<std::size_t>(
      static_cast<std::size_t>(piece_bytes * rows / bytes_), 1, most_in_piece);
  const unsigned threads = platform::threads_for(static_cast<std::size_t>(bytes_), thread_share);
  std::atomic<std::size_t> taken = 0;
  std::vector<Worker> workers;
  workers.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(taken);
  // Each leaves a block of its own half used, at most.
  comparer_.rows().compact().reserve_metrics(rows + threads * MetricsPlaces::block);
  std::atomic<std::uint64_t> done = 0;
  platform::in_pieces(
      rows, piece,
      [&](std::size_t begin, std::size_t count, unsigned worker) {
        done += measure(begin, count, workers[worker]);
        if (worker == 0 && options_.progress) comparer_.report(done.exchange(0));
      },
      threads);
  if (options_.progress && done != 0) comparer_.report(done);
  Coverage& coverage = comparer_.result().coverage;
  std::vector<std::size_t> unusual;
  for (const Worker& worker : workers) {
    coverage.tensors += worker.tensors;
    coverage.elements += worker.elements;
    coverage.compared_elements += worker.elements;
    unusual.insert(unusual.end(), worker.unusual.begin(), worker.unusual.end());
  }
  std::ranges::sort(unusual);
  for (const std::size_t row : unusual)
    comparer_.hold_compact(comparer_.rows().place_of_compact(row));
}

std::uint64_t SmallRecords::measure(std::size_t begin, std::size_t count, Worker& worker) {
  std::uint64_t bytes = 0;
  for (const std::size_t end = begin + count; begin < end;) {
    const std::size_t read = this->read(begin, end - begin, worker);
    bytes += compare(begin, read, worker);
    begin += read;
  }
  return bytes;
}

std::size_t SmallRecords::read(std::size_t begin, std::size_t most, Worker& worker) {
  const CompactRows& compact = comparer_.rows().compact();
  recording::RecordCursor a(a_);
  recording::RecordCursor b(b_);
  worker.places_a.clear();
  worker.places_b.clear();
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  // Of a piece that is as large as others on average, all may be of the largest size.
  for (; count < most && bytes < 2 * piece_bytes; ++count) {
    const CompactRow& row = compact.rows[begin + count];
    const RecordPair pair = pairs_[row.record];
    const CompactKind& kind = compact.kinds[row.kind];
    worker.places_a.push_back(row_place(a.at(pair.a), kind.size_a));
    worker.places_b.push_back(row_place(b.at(pair.b), kind.size_b));
    bytes += kind.size_a + kind.size_b;
  }
  worker.bytes_a.read(worker.places_a);
  worker.bytes_b.read(worker.places_b);
  return count;
}

std::uint64_t SmallRecords::compare(std::size_t begin, std::size_t count, Worker& worker) {
  CompactRows& compact = comparer_.rows().compact();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CompactRow& row = compact.rows[begin + i];
    const CompactKind& kind = compact.kinds[row.kind];
    const std::size_t metrics = worker.places_of_metrics.next();
    const RowMetrics::Found found = worker.metrics->measure(worker.bytes_a[i], worker.bytes_b[i],
                                                            kind, row, compact.metrics[metrics]);
    if (found == RowMetrics::Found::unusual) {
      worker.unusual.push_back(begin + i);
      continue;
    }
    if (found == RowMetrics::Found::inexact) {
      row.metrics = static_cast<std::uint32_t>(metrics);
      worker.places_of_metrics.use();
    }
    ++worker.tensors;
    worker.elements += kind.count;
    bytes += worker.places_a[i].size + worker.places_b[i].size;
  }
  return bytes;
}

}  // namespace safestructures::inline v0::comparing
