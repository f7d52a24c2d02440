// The background thread: writes the queue to the files.
#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/text/json_text.hpp"
#include "recording/recorder/capture.hpp"
#include "recording/recorder/state.hpp"
#include "recording/segments/segment_header.hpp"

namespace safestructures::inline v0::detail {

using recording::SegmentWriter;

namespace {

using namespace std::chrono_literals;

// How long records are gathered before they are written: calls cost more than small records do.
constexpr auto gather_time = 1ms;
constexpr std::uint64_t gather_bytes = std::uint64_t{1} << 20U;
// After this many looks at an empty queue, the writer waits to be woken, which costs the waker
// several microseconds.
constexpr int most_looks = 50;
// How much is written before its memory is released.
constexpr std::uint64_t batch_bytes = std::uint64_t{16} << 20U;
constexpr std::size_t batch_records = 4096;
// Room for a header: in pages, so that the data begin at one. Building a header takes five times
// its size: with 16 MiB, recorders of 1 MiB used 60 MiB for maps of many parts, with 4 MiB they use
// 20.
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t largest_room = std::uint64_t{4} << 20U;
constexpr std::uint64_t largest_journal = std::uint64_t{64} << 20U;

std::uint64_t in_pages(std::uint64_t size) { return (size + page - 1) / page * page; }

/// Returns the room of a file whose header needs `cost` bytes for a record.
std::uint64_t room_for(std::uint64_t cost) {
  return in_pages(cost + recording::metadata_room + page);
}

void append_counts(std::string& json, const RecordCounts& counts) {
  json += "{\"calls\": " + std::to_string(counts.calls);
  const auto add = [&](const char* name, std::uint64_t count) {
    if (count != 0) json.append(", \"").append(name).append("\": ") += std::to_string(count);
  };
  add("kept", counts.kept);
  add("filtered", counts.filtered);
  add("dropped", counts.dropped);
  add("thinned", counts.thinned);
  add("limited", counts.limited);
  add("failed", counts.failed);
  json += '}';
}

}  // namespace

void RecorderState::run() noexcept {
  Queue taken;
  for (Turn turn = Turn::records; turn == Turn::records;) {
    turn = take(taken);
    if (turn != Turn::nothing) work(taken, turn == Turn::last);
  }
}

void RecorderState::work(Queue& taken, bool is_last) noexcept {
  try {
    if (!has_ended_) write(taken, is_last);
  } catch (...) {
    fail(std::current_exception(), true);
    batch_.clear();
    if (segment_) segment_->drop_batch();
    // These, and those that can no longer be written, are counted before the last segment states
    // what was kept.
    Queue waiting;
    {
      const std::lock_guard lock(mutex_);
      std::swap(queue_, waiting);
      queued_bytes_ = 0;
    }
    lose(taken);
    lose(waiting);
    try {
      seal_segment(false);
    } catch (...) {
      segment_.reset();  // The journal still has the whole records.
    }
  }
  lose(taken);
  taken.clear();
  // After sealing, which those who wait for these records want to see.
  const Lost lost = std::exchange(lost_, {});
  finish(lost.records, lost.bytes, false);
}

bool RecorderState::take_last(Queue& taken) {
  const std::lock_guard lock(mutex_);
  if (is_working_ || !queue_.is_flat()) return false;
  is_over_ = true;
  queued_bytes_ = 0;
  std::swap(queue_, taken);
  return true;
}

void RecorderState::lose(Queue& queue) {
  queue.each([&](Queued& queued) {
    if (queued.name != nullptr) lose(queued);
  });
}

void RecorderState::lose(Queued& queued) {
  ++lost_.records;
  lost_.bytes += queued.bytes;
  kept_bytes_ -= queued.content;
  const std::lock_guard lock(mutex_);
  RecordCounts& counts = std::exchange(queued.name, nullptr)->second.counts;
  --counts.kept;
  ++counts.failed;
  if (queued.is_summarised) --counts.thinned;
}

RecorderState::Turn RecorderState::take(Queue& taken) {
  std::unique_lock lock(mutex_);
  is_working_ = false;
  for (int looks = 0; queue_.empty() && !is_closing_; ++looks) {
    is_urgent_ = false;
    if (looks < most_looks) {
      ready_.wait_for(lock, gather_time);
      continue;
    }
    is_asleep_ = true;
    ready_.wait(lock, [&] { return !queue_.empty() || is_closing_; });
    is_asleep_ = false;
  }
  if (queued_bytes_ < gather_bytes && !is_urgent_ && !is_closing_)
    ready_.wait_for(lock, gather_time);
  if (is_over_) return Turn::nothing;
  is_working_ = true;
  is_urgent_ = false;
  queued_bytes_ = 0;
  std::swap(queue_, taken);
  is_over_ = is_closing_;
  return is_closing_ ? Turn::last : Turn::records;
}

void RecorderState::write(Queue& taken, bool is_last) {
  taken.each([&](Queued& queued) { write_one(queued); });
  if (!is_last) return write_batch();
  // A reader would take a recording without any segment for one that was never closed.
  if (!segment_ && is_told_closed_) open_segment(0, 0);
  seal_segment(true);
}

void RecorderState::write_one(Queued& queued) {
  std::optional<recording::PreparedRow> row;
  std::optional<recording::PreparedRecord> prepared;
  try {
    if (queued.record.head.keep == Keep::statistics && !queued.is_summarised) {
      try {
        recording::summarise(queued.record.value);
      } catch (const Error& error) {
        throw named(error, *queued.name);
      }
    }
    // Sums in F16 would be too coarse for estimates.
    if (queued.record.head.keep == Keep::statistics) queued.record.precision = Precision::preserve;
    row = recording::prepare_row(queued.record, options_.limits);
    if (!row) prepared = recording::prepare(std::move(queued.record), options_.limits);
    const std::uint64_t room = room_for(row ? row->cost : prepared->cost);
    if (room > options_.limits.header_bytes)
      throw named(Error(ErrorCode::limit_exceeded, "a record needs a header that is too large",
                        {.expected = "at most " + std::to_string(options_.limits.header_bytes) +
                                     " bytes (Limits::header_bytes)",
                         .found = std::to_string(room) + " bytes",
                         .advice = "Record numbers as a tensor instead of a list, or record the "
                                   "parts of the structure one by one"}),
                  *queued.name);
  } catch (const Error& error) {
    // An error of this record only. It is counted before the segment states what was kept.
    fail(std::make_exception_ptr(error.with_file(folder_.string())), false);
    return lose(queued);
  }
  const std::uint64_t size = row ? row->tensor->byte_size() : prepared->frame.end;
  const auto start_segment = [&] {
    seal_segment(false);
    open_segment(row ? row->cost : prepared->cost, room_bytes_);
  };
  const auto add = [&] { return row ? segment_->add(*row) : segment_->add(*prepared); };
  const std::uint64_t before = segment_ ? segment_->size() : 0;
  if (before != 0 && before + size > options_.segment_bytes) start_segment();
  while (!segment_ || !add()) start_segment();
  batch_.push_back(&queued);
  if (segment_->batch_bytes() >= batch_bytes || batch_.size() >= batch_records) write_batch();
}

void RecorderState::write_batch() {
  if (batch_.empty()) return;
  segment_->write_batch();
  finish_batch();
}

void RecorderState::finish_batch() {
  std::uint64_t bytes = 0;
  for (Queued* const queued : batch_) {
    bytes += queued->bytes;
    queued->record.value = Value();  // Rows have not been moved from.
    queued->name = nullptr;
  }
  const std::uint64_t records = batch_.size();
  batch_.clear();
  finish(records, bytes, true);
}

void RecorderState::open_segment(std::uint64_t cost, std::uint64_t room) {
  // A reader with the same limits accepts no larger one.
  room = std::min(in_pages(room), options_.limits.header_bytes / page * page);
  segment_.emplace(folder_, ++segment_number_, std::max(room, room_for(cost)),
                   recording::SegmentOptions{
                       .durability = options_.durability,
                       .checksums = options_.checksums,
                       .largest_journal = std::min(largest_journal, options_.limits.header_bytes)},
                   buffers_);
}

void RecorderState::seal_segment(bool closed) {
  if (!segment_) return;
  if (!segment_->is_sealed_at_once()) write_batch();
  SegmentWriter segment = std::move(*segment_);
  segment_.reset();
  // The next segment gets the room that this one would have needed for all its data, but grows in
  // steps: the last file will not need most of it.
  const std::uint64_t size = std::max<std::uint64_t>(segment.size(), 1);
  const double share = static_cast<double>(options_.segment_bytes) / static_cast<double>(size);
  const double needed = static_cast<double>(segment.header_bound()) * std::max(1.0, share) * 1.25;
  const auto most = static_cast<double>(std::min(2 * segment.room(), largest_room));
  room_bytes_ =
      static_cast<std::uint64_t>(std::clamp(needed, 64.0 * 1024, std::max(most, 65536.0)));
  using Empty = SegmentWriter::Empty;
  segment.seal(about(closed), closed ? Empty::kept : Empty::removed, [&] {
    {
      const std::lock_guard lock(mutex_);
      ++segments_;
    }
    finish_batch();
  });
}

std::string RecorderState::about(bool closed) const {
  RecordCounts all;
  std::map<std::string_view, RecordCounts> left_out;
  {
    const std::lock_guard lock(mutex_);
    all = names_.sum();
    for (const auto& [name, known] : names_.all()) {
      const RecordCounts& own = known.counts;
      // A call in progress is neither kept nor lost yet.
      if (own.filtered + own.dropped + own.thinned + own.limited + own.failed != 0)
        left_out.emplace(name, own);
    }
  }
  std::string start = "{\"version\": " + std::to_string(recording::layout_version) +
                      ", \"segment\": " + std::to_string(segment_number_) +
                      ", \"closed\": " + (closed ? "true" : "false") + ", \"run\": \"" + run_ +
                      "\", \"counts\": ";
  append_counts(start, all);
  std::string names;
  for (const auto& [name, own] : left_out) {
    names += names.empty() ? "" : ", ";
    json::append_string(names, name, json::Escapes::all, nullptr);
    names += ": ";
    append_counts(names, own);
  }
  std::string text = start + ", \"left_out\": {" + names + "}}";
  // Twice the size for the escapes, and some room for the keys around it.
  if (2 * text.size() + page > recording::metadata_room) text = start + "}";
  return text;
}

void RecorderState::fail(std::exception_ptr error, bool for_good) noexcept {
  const std::lock_guard lock(mutex_);
  // The error that ends the recording matters more than one of a single record, reported or not.
  if (!error_ || (for_good && !has_ended_)) {
    error_ = std::move(error);
    was_told_ = false;
  }
  if (for_good) has_ended_ = true;
}

void RecorderState::finish(std::uint64_t records, std::uint64_t bytes, bool written) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  done_ += records;
  if (written) written_ += records;
  room_.notify_all();
}

}  // namespace safestructures::inline v0::detail
