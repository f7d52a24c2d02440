/// \file
/// Writes records to the files of a recording.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/recorder/parts.hpp"
#include "recording/recorder/record_queue.hpp"
#include "recording/segments/segment_writer.hpp"

namespace safestructures::inline v0::recording {

/// The side of a recorder that writes. Used by one thread at a time: the background thread, and
/// after `Handover::take_last` the closing one.
class Writer {
 public:
  /// \param run identifies the recording in its segments \param parts must outlive it
  Writer(RecorderParts& parts, std::string run);

  /// Writes what is handed over, until the last turn or until the closing thread takes it.
  void run() noexcept;
  /// Writes records, and seals the last segment if they are the last. Errors are noted in
  /// `RecorderParts::failure`.
  void work(RecordQueue& taken, bool is_last) noexcept;

  /// Makes the last turn write a segment even if there is no other. Thread-safe, as the next.
  void tell_closed() noexcept { is_told_closed_ = true; }
  [[nodiscard]] std::uint64_t segments() const noexcept { return segments_; }

 private:
  /// Records that are not written, and their memory.
  struct Lost {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };
  /// A record as the segment takes it: one of both.
  struct Prepared {
    std::optional<PreparedRow> row;
    std::optional<PreparedRecord> record;

    [[nodiscard]] std::uint64_t cost() const noexcept { return row ? row->cost : record->cost; }
    [[nodiscard]] std::uint64_t size() const {
      return row ? row->tensor->byte_size() : record->frame.end;
    }
  };

  void write(RecordQueue& taken, bool is_last);
  void write_one(QueuedRecord& queued);
  /// \throws Error if the record cannot be saved
  void prepare(QueuedRecord& queued, Prepared& prepared) const;
  void write_batch();
  /// Releases the memory of the batch after it was written.
  void finish_batch();
  /// Releases the memory of records and counts them as done.
  void finish(std::uint64_t records, std::uint64_t bytes, bool written);
  /// Counts what waits and what is taken as lost, and seals what is written.
  void give_up(RecordQueue& taken);
  /// Counts records that were not written as failed and lost.
  void lose(RecordQueue& queue);
  void lose(QueuedRecord& queued);
  /// \param cost of its first record in the header \param room used instead if it is larger
  void open_segment(std::uint64_t cost, std::uint64_t room);
  void seal_segment(bool closed);
  /// Sets the room of the next segment to what this one needed.
  void adapt_room(const SegmentWriter& segment);
  [[nodiscard]] std::string about(bool closed) const;

  RecorderParts& parts_;
  const std::string run_;
  SegmentBuffers buffers_;
  std::optional<SegmentWriter> segment_;
  std::uint64_t segment_number_ = 0;
  std::uint64_t room_bytes_;
  std::vector<QueuedRecord*> batch_;
  Lost lost_;  // Not yet passed to `finish`.
  std::atomic<bool> is_told_closed_{false};
  std::atomic<std::uint64_t> segments_{0};  // Sealed ones.
};

}  // namespace safestructures::inline v0::recording
