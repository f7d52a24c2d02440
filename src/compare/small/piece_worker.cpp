#include "compare/small/piece_worker.hpp"

#include "compare/metrics/noise_floor.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// \param size bytes of the record
void add_bytes(const recording::StoredRecord& record, std::size_t size, RowBytes& bytes) {
  bytes.add(record.value->tensor(), record.is_row() ? static_cast<std::uint64_t>(record.row) : 0,
            size);
}

}  // namespace

PieceWorker::PieceWorker(const PairedRecordings& recordings, const Noise& noise, CompactRows& rows,
                         const RowKinds::Finder& finder, const MetricsPlaces& places)
    : recordings_(recordings), rows_(rows), finder_(finder), places_(places) {
  if (!noise.empty()) noise_.emplace(noise, recordings.table_a, rows);
}

bool PieceWorker::find(std::size_t begin, std::size_t count) {
  kinds_.clear();
  for (std::size_t i = begin; i < begin + count; ++i) {
    const RecordPair pair = recordings_.pairs[i];
    const std::optional<RowKinds::Found> found = finder_.find(pair);
    if (!found || found->kind == nullptr) return false;
    rows_.rows[i] = compact_row(pair, found->place);
    kinds_.push_back(found->kind);
  }
  return true;
}

void PieceWorker::look_up(std::size_t begin, std::size_t count) {
  kinds_.clear();
  for (const CompactRow& row : std::span(rows_.rows + begin, count))
    kinds_.push_back(&rows_.kinds[row.kind]);
}

std::uint64_t PieceWorker::compare(std::size_t begin, std::size_t count) {
  std::uint64_t bytes = 0;
  for (std::size_t done = 0; done < count;) {
    const Kinds rest = Kinds(kinds_).subspan(done);
    const std::size_t read = this->read(begin + done, rest);
    bytes += compare(begin + done, rest.first(read));
    done += read;
  }
  return bytes;
}

std::size_t PieceWorker::read(std::size_t begin, Kinds kinds) {
  const CompactRow* const rows = rows_.rows;
  recording::RecordCursor a(recordings_.table_a);
  recording::RecordCursor b(recordings_.table_b);
  bytes_a_.clear();
  bytes_b_.clear();
  if (noise_) noise_->clear();
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  // A piece of average size may consist of the largest records.
  for (; count < kinds.size() && bytes < 2 * most_bytes; ++count) {
    const RecordPair pair = recordings_.pairs[rows[begin + count].record];
    const CompactKind& kind = *kinds[count];
    add_bytes(a.stored_at(pair.a), kind.size_a, bytes_a_);
    add_bytes(b.stored_at(pair.b), kind.size_b, bytes_b_);
    if (noise_) noise_->add(rows[begin + count], kind);
    bytes += kind.size_a + kind.size_b;
  }
  bytes_a_.read();
  bytes_b_.read();
  if (noise_) noise_->read();
  return count;
}

std::uint64_t PieceWorker::compare(std::size_t begin, Kinds kinds) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CompactRow& row = rows_.rows[begin + i];
    const CompactKind& kind = *kinds[i];
    const std::size_t place = places_.next();
    CompactMetrics& measured = rows_.metrics[place];
    RowMetrics::Found found = metrics_->measure(bytes_a_[i], bytes_b_[i], kind, row, measured);
    if (noise_ && found != RowMetrics::Found::unusual) {
      const SmallNoise::Sides sides{kind, bytes_a_[i], bytes_b_[i],
                                    found == RowMetrics::Found::exact ? nullptr : &measured};
      if (!judge_by_noise(i, sides, row, rows_.noise[begin + i]))
        found = RowMetrics::Found::unusual;
    }
    if (found == RowMetrics::Found::unusual) {
      // It becomes a whole row, and is compared as such.
      if (noise_) rows_.noise[begin + i] = {};
      done_.unusual.push_back(begin + i);
      continue;
    }
    ++done_.tensors;
    done_.elements += kind.count;
    if (found == RowMetrics::Found::inexact) {
      row.metrics = static_cast<std::uint32_t>(place);
      places_.use();
      done_.compared_elements += measured.compared(kind.count);
    } else {
      done_.compared_elements += kind.count;
    }
    bytes += kind.size_a + kind.size_b;
  }
  return bytes;
}

bool PieceWorker::judge_by_noise(std::size_t i, const SmallNoise::Sides& sides, CompactRow& row,
                                 CompactNoise& noise) {
  if (!noise_->judge(i, sides, *metrics_, row, noise)) return false;
  const bool is_beyond = sides.metrics != nullptr && sides.metrics->beyond != 0;
  if (noise.runs == 0) ++done_.without_noise;
  else if (is_beyond && row.verdict == Verdict::close && is_as_large_as_numbers(*noise.floor()))
    ++done_.large_noise;
  return true;
}

}  // namespace safestructures::inline v0::comparing
