#include "recording/recorder/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/text/json_text.hpp"
#include "recording/recorder/capture.hpp"
#include "recording/recorder/prepare.hpp"
#include "recording/segments/segment_header.hpp"

namespace safestructures::inline v0::recording {
namespace {

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
std::uint64_t room_for(std::uint64_t cost) { return in_pages(cost + metadata_room + page); }

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

Writer::Writer(RecorderParts& parts, std::string run)
    : parts_(parts),
      run_(std::move(run)),
      room_bytes_(std::clamp<std::uint64_t>(parts.options.header_bytes, page, 1U << 24U) / page *
                  page) {}

void Writer::run() noexcept {
  using Turn = Handover::Turn;
  RecordQueue taken;
  for (Turn turn = Turn::records; turn == Turn::records;) {
    turn = parts_.handover.take(taken);
    if (turn != Turn::nothing) work(taken, turn == Turn::last);
  }
}

void Writer::work(RecordQueue& taken, bool is_last) noexcept {
  try {
    if (!parts_.failure.has_ended()) write(taken, is_last);
  } catch (...) {
    parts_.failure.set(std::current_exception(), true);
    give_up(taken);
  }
  lose(taken);
  taken.clear();
  // After sealing, which those who wait for these records want to see.
  const Lost lost = std::exchange(lost_, {});
  finish(lost.records, lost.bytes, false);
}

void Writer::give_up(RecordQueue& taken) {
  batch_.clear();
  if (segment_) segment_->drop_batch();
  // These, and those that can no longer be written, are counted before the last segment states
  // what was kept.
  RecordQueue waiting;
  parts_.handover.take_waiting(waiting);
  lose(taken);
  lose(waiting);
  try {
    seal_segment(false);
  } catch (...) {
    segment_.reset();  // The journal still has the whole records.
  }
  parts_.memory.end();
}

void Writer::lose(RecordQueue& queue) {
  queue.each([&](QueuedRecord& queued) {
    if (queued.name != nullptr) lose(queued);
  });
}

void Writer::lose(QueuedRecord& queued) {
  ++lost_.records;
  lost_.bytes += queued.bytes;
  parts_.content.give_back(queued.content);
  parts_.names.lose(*std::exchange(queued.name, nullptr), queued.is_summarised);
}

void Writer::write(RecordQueue& taken, bool is_last) {
  taken.each([&](QueuedRecord& queued) { write_one(queued); });
  if (!is_last) return write_batch();
  // A reader would take a recording without any segment for one that was never closed.
  if (!segment_ && is_told_closed_) open_segment(0, 0);
  seal_segment(true);
}

void Writer::prepare(QueuedRecord& queued, Prepared& prepared) const {
  const RecorderOptions& options = parts_.options;
  CapturedRecord& record = queued.record;
  if (record.head.keep == Keep::statistics && !queued.is_summarised) {
    try {
      summarise(record.value);
    } catch (const Error& error) {
      throw parts_.named(error, *queued.name);
    }
  }
  // Sums in F16 would be too coarse for estimates.
  if (record.head.keep == Keep::statistics) record.precision = Precision::preserve;
  prepared.row = prepare_row(record, options.limits, parts_.pool);
  if (!prepared.row)
    prepared.record = recording::prepare(std::move(record), options.limits, parts_.pool);
  const std::uint64_t room = room_for(prepared.cost());
  if (room > options.limits.header_bytes)
    throw parts_.named(Error(ErrorCode::limit_exceeded, "a record needs a header that is too large",
                             {.expected = "at most " + std::to_string(options.limits.header_bytes) +
                                          " bytes (Limits::header_bytes)",
                              .found = std::to_string(room) + " bytes",
                              .advice = "Record numbers as a tensor instead of a list, or record "
                                        "the parts of the structure one by one"}),
                       *queued.name);
}

void Writer::write_one(QueuedRecord& queued) {
  Prepared prepared;
  try {
    prepare(queued, prepared);
  } catch (const Error& error) {
    // An error of this record only. It is counted before the segment states what was kept.
    parts_.failure.set(std::make_exception_ptr(error.with_file(parts_.folder.string())), false);
    return lose(queued);
  }
  const std::uint64_t size = prepared.size();
  const auto start_segment = [&] {
    seal_segment(false);
    open_segment(prepared.cost(), room_bytes_);
  };
  const auto add = [&] {
    return prepared.row ? segment_->add(*prepared.row) : segment_->add(*prepared.record);
  };
  const std::uint64_t before = segment_ ? segment_->size() : 0;
  if (before != 0 && before + size > parts_.options.segment_bytes) start_segment();
  while (!segment_ || !add()) start_segment();
  batch_.push_back(&queued);
  if (segment_->batch_bytes() >= batch_bytes || batch_.size() >= batch_records) write_batch();
}

void Writer::write_batch() {
  if (batch_.empty()) return;
  segment_->write_batch();
  finish_batch();
}

void Writer::finish_batch() {
  std::uint64_t bytes = 0;
  for (QueuedRecord* const queued : batch_) {
    bytes += queued->bytes;
    queued->record.value = Value();  // Rows have not been moved from.
    queued->name = nullptr;
  }
  const std::uint64_t records = batch_.size();
  batch_.clear();
  finish(records, bytes, true);
  parts_.pool.leave_room();  // Of copies that were made to convert records, too.
}

void Writer::finish(std::uint64_t records, std::uint64_t bytes, bool written) {
  parts_.memory.release(bytes);
  parts_.handover.finish(records, written);
}

void Writer::open_segment(std::uint64_t cost, std::uint64_t room) {
  // A reader with the same limits accepts no larger one.
  room = std::min(in_pages(room), parts_.options.limits.header_bytes / page * page);
  segment_.emplace(parts_.folder, ++segment_number_, std::max(room, room_for(cost)),
                   SegmentOptions{.durability = parts_.options.durability,
                                  .checksums = parts_.options.checksums,
                                  .largest_journal = std::min(largest_journal,
                                                              parts_.options.limits.header_bytes)},
                   buffers_);
}

void Writer::seal_segment(bool closed) {
  if (!segment_) return;
  if (!segment_->is_sealed_at_once()) write_batch();
  SegmentWriter segment = std::move(*segment_);
  segment_.reset();
  adapt_room(segment);
  using Empty = SegmentWriter::Empty;
  segment.seal(about(closed), closed ? Empty::kept : Empty::removed, [&] {
    ++segments_;
    finish_batch();
  });
}

void Writer::adapt_room(const SegmentWriter& segment) {
  // The next segment gets the room that this one would have needed for all its data, but grows in
  // steps: the last file will not need most of it.
  const std::uint64_t size = std::max<std::uint64_t>(segment.size(), 1);
  const double share =
      static_cast<double>(parts_.options.segment_bytes) / static_cast<double>(size);
  const double needed = static_cast<double>(segment.header_bound()) * std::max(1.0, share) * 1.25;
  const auto most = static_cast<double>(std::min(2 * segment.room(), largest_room));
  room_bytes_ =
      static_cast<std::uint64_t>(std::clamp(needed, 64.0 * 1024, std::max(most, 65536.0)));
}

std::string Writer::about(bool closed) const {
  const CountedNames::LeftOut left_out = parts_.names.left_out();
  std::string start = "{\"version\": " + std::to_string(layout_version) +
                      ", \"segment\": " + std::to_string(segment_number_) +
                      ", \"closed\": " + (closed ? "true" : "false") + ", \"run\": \"" + run_ +
                      "\", \"counts\": ";
  append_counts(start, left_out.all);
  std::string names;
  for (const auto& [name, own] : left_out.names) {
    names += names.empty() ? "" : ", ";
    json::append_string(names, name, json::Escapes::all, nullptr);
    names += ": ";
    append_counts(names, own);
  }
  std::string text = start + ", \"left_out\": {" + names + "}}";
  // Twice the size for the escapes, and some room for the keys around it.
  if (2 * text.size() + page > metadata_room) text = start + "}";
  return text;
}

}  // namespace safestructures::inline v0::recording
