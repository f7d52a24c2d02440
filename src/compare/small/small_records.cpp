#include "compare/small/small_records.hpp"

#include <algorithm>
#include <atomic>

#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

// Reading this little takes as long as requesting it.
constexpr std::uint64_t least_bytes = PieceWorker::most_bytes / 4;

/// Returns the bytes of both sides in a piece, given those of all. Fewer bytes mean smaller pieces,
/// because the first touch of the memory for a piece takes five times as long as reading it.
std::uint64_t piece_of(std::uint64_t bytes) {
  return std::clamp(bytes / 24, least_bytes, PieceWorker::most_bytes);
}

constexpr std::size_t most_in_piece = 2048;
// The least work for a thread, in bytes of both sides: starting it takes as long as 300 rows.
constexpr std::size_t thread_share = std::size_t{1} << 19U;
// Metrics are allocated in blocks, so that those of a thread are adjacent.
constexpr std::size_t most_together = 256;

/// Returns how many metrics threads may leave unused in their last blocks.
std::size_t spare_metrics(std::size_t rows) { return rows / 8 + 16; }

std::uint64_t call_of(recording::RecordCursor& records, std::size_t record) {
  const RecordTable::Place place = records.at(record);
  return place.part->segment->columns().call[place.record];
}

}  // namespace

SmallRecords::SmallRecords(const PairedRecordings& recordings, const Rules& rules, Draft& draft)
    : recordings_(recordings), rules_(rules), draft_(draft), compact_(draft.rows.compact()) {
  const std::size_t size_a = recordings.table_a.size();
  const std::size_t size_b = recordings.table_b.size();
  // Rows and metrics have 32-bit indices.
  if (std::max(size_a, size_b) > CompactRow::none / 2) return;
  kinds_.emplace(recordings, rules, compact_.kinds);
  finder_.emplace(*kinds_);
  store_records();
  const std::size_t most = std::min(size_a, size_b);
  compact_.reserve(most, most + spare_metrics(most), draft.result.has_noise);
}

void SmallRecords::store_records() {
  for (const RecordTable::Part& part : recordings_.table_a.parts())
    compact_.records.push_back({part.begin, part.skipped, part.segment->columns()});
  recording::RecordCursor records_a(recordings_.table_a);
  recording::RecordCursor records_b(recordings_.table_b);
  for (const RecordPair& pair : recordings_.pairs.pairs) {
    if (pair.match == RecordMatch::call) continue;
    const std::uint64_t call = call_of(records_b, pair.b);
    if (call != call_of(records_a, pair.a)) compact_.other_calls.emplace_back(pair.a, call);
  }
}

bool SmallRecords::add(const RecordPair& pair) {
  if (!finder_) return false;
  const std::optional<RowKinds::Found> found = finder_->find(pair);
  if (!found) return false;
  if (found->kind == nullptr) {
    ++draft_.result.coverage.filtered;
    return true;
  }
  compact_.rows[compact_.size] = compact_row(pair, found->place);
  draft_.rows.add_compact(1);
  bytes_ += found->kind->size_a + found->kind->size_b;
  return true;
}

std::optional<std::uint64_t> SmallRecords::bytes_of(std::size_t count) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<RowKinds::Found> found = finder_->find(recordings_.pairs[i]);
    if (!found || found->kind == nullptr) return std::nullopt;
    bytes += found->kind->size_a + found->kind->size_b;
  }
  return bytes;
}

template <class Work>
std::vector<PieceWorker> SmallRecords::in_pieces(const Amount& amount, const Work& work) {
  const std::size_t piece = std::clamp<std::size_t>(
      static_cast<std::size_t>(piece_of(amount.bytes) * amount.rows / amount.bytes), 1,
      most_in_piece);
  const unsigned threads =
      platform::threads_for(static_cast<std::size_t>(amount.bytes), thread_share);
  std::atomic<std::size_t> taken = 0;
  const MetricsPlaces places(
      taken, std::clamp<std::size_t>(spare_metrics(amount.rows) / threads, 1, most_together));
  std::vector<PieceWorker> workers;
  workers.reserve(threads);
  for (unsigned i = 0; i < threads; ++i)
    workers.emplace_back(recordings_, rules_.noise, compact_, *finder_, places);
  std::atomic<std::uint64_t> done = 0;
  platform::in_pieces(
      amount.rows, piece,
      [&](std::size_t begin, std::size_t count, unsigned worker) {
        done += work(begin, count, workers[worker]);
        if (worker == 0 && draft_.progress.is_wanted()) draft_.progress.report(done.exchange(0));
      },
      threads);
  if (done != 0) draft_.progress.report(done);
  return workers;
}

bool SmallRecords::compare_all() {
  const std::size_t rows = recordings_.pairs.size();
  const RecordTable& a = recordings_.table_a;
  if (!kinds_ || rows == 0 || rows != a.size() || rows != recordings_.table_b.size()) return false;
  // Usually the first step has every name, so that a record of another type is found there.
  const std::size_t seen = draft_.progress.is_wanted() ? rows : std::min(rows, a.names().size());
  const std::optional<std::uint64_t> bytes = bytes_of(seen);
  if (!bytes) return false;
  if (draft_.progress.is_wanted()) draft_.progress.expect(*bytes);
  std::atomic<bool> are_all = true;
  const std::vector<PieceWorker> workers =
      in_pieces({rows, *bytes / seen * rows},
                [&](std::size_t begin, std::size_t count, PieceWorker& worker) -> std::uint64_t {
                  if (are_all && worker.find(begin, count)) return worker.compare(begin, count);
                  are_all = false;
                  return 0;
                });
  if (!are_all) return false;
  draft_.rows.add_compact(rows);
  take(workers);
  return true;
}

void SmallRecords::compare_added() {
  if (compact_.size == 0) return;
  draft_.progress.expect(bytes_);
  take(in_pieces({compact_.size, bytes_},
                 [&](std::size_t begin, std::size_t count, PieceWorker& worker) {
                   worker.look_up(begin, count);
                   return worker.compare(begin, count);
                 }));
}

void SmallRecords::take(const std::vector<PieceWorker>& workers) {
  Coverage& coverage = draft_.result.coverage;
  std::vector<std::size_t> unusual;
  for (const PieceWorker& worker : workers) {
    const PieceWorker::Done& done = worker.done();
    coverage.tensors += done.tensors;
    coverage.elements += done.elements;
    coverage.compared_elements += done.compared_elements;
    coverage.without_noise += done.without_noise;
    coverage.large_noise += done.large_noise;
    unusual.insert(unusual.end(), done.unusual.begin(), done.unusual.end());
  }
  std::ranges::sort(unusual);
  for (const std::size_t row : unusual) draft_.held.hold_compact(draft_.rows.place_of_compact(row));
}

}  // namespace safestructures::inline v0::comparing
