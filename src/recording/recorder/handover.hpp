/// \file
/// Hands records over from the threads that record to the one that writes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "recording/recorder/record_queue.hpp"

namespace safestructures::inline v0::recording {

/// The queue of waiting records, and how far the writer has come with them. Thread-safe.
class Handover {
 public:
  // ---- The threads that record. ----

  /// Queues a record, and gives it its sequence. \returns false, leaving it, if the writer takes no
  /// more
  [[nodiscard]] bool push(QueuedRecord&& record);
  /// Tells the writer that someone waits for it.
  void hurry();
  /// Waits until all records that were pushed so far are written or lost.
  /// \returns the number of records written
  std::uint64_t wait_for_all();
  [[nodiscard]] std::uint64_t written() const;

  // ---- Who closes. ----

  /// Whether `begin_closing` was called.
  [[nodiscard]] bool is_closing() const noexcept { return is_closing_; }
  /// Makes the next turn the last. \returns false if another call did so before
  [[nodiscard]] bool begin_closing();
  /// Takes the last records for the closing thread, which has them in its caches: waking the writer
  /// for 3,000 records of 256 B took a twentieth longer. Then wakes the writer.
  /// \returns false while the writer is working, and for structures, which may be nested too deeply
  /// for that thread's stack: then the writer has the last turn
  [[nodiscard]] bool take_last(RecordQueue& taken);
  void end_closing();
  /// Waits for `end_closing`.
  void wait_until_closed();

  // ---- The writer. ----

  /// The records that the writer has taken: some, the last ones, or none because all is over.
  enum class Turn : std::uint8_t { records, last, nothing };
  /// Waits for records. \param taken must be empty
  [[nodiscard]] Turn take(RecordQueue& taken);
  /// Takes what waits by now, without waiting for more.
  void take_waiting(RecordQueue& taken);
  /// Counts records as done, written or lost.
  void finish(std::uint64_t records, bool written);

 private:
  mutable std::mutex mutex_;       // Guards all that follows.
  std::condition_variable ready_;  // For the writer.
  std::condition_variable done_;   // For those who wait for it.
  RecordQueue queue_;
  std::uint64_t queued_bytes_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t finished_ = 0;           // Records that are written or lost.
  std::uint64_t written_ = 0;            // Records that are written.
  bool is_asleep_ = false;               // The writer waits to be woken.
  bool is_urgent_ = false;               // Someone waits for the writer.
  bool is_working_ = false;              // The writer has taken records.
  bool is_over_ = false;                 // The writer takes no more.
  bool is_closed_ = false;               // Closing has ended.
  std::atomic<bool> is_closing_{false};  // Read without the mutex.
};

}  // namespace safestructures::inline v0::recording
