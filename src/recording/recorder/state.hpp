/// \file
/// The implementation of ActivationRecorder: the queue between the recording threads and the
/// writing one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <safestructures/recording/recorder.hpp>
#include "platform/os.hpp"
#include "recording/recorder/buffer_pool.hpp"
#include "recording/recorder/names.hpp"
#include "recording/recorder/record_queue.hpp"
#include "recording/segments/segment_writer.hpp"

namespace safestructures::inline v0::detail {

/// The recorder's threads, queue and files.
class RecorderState {
 public:
  RecorderState(const std::filesystem::path& folder, RecorderOptions options);
  RecorderState(const RecorderState&) = delete;
  RecorderState& operator=(const RecorderState&) = delete;
  ~RecorderState();

  using Encode = Value (*)(void* object, const EncodeOptions& options);
  /// \param moved whether the object's memory may be taken over
  /// \param unused the number of its bytes that hold nothing
  void record(std::string_view name, Encode encode, void* object, bool moved, std::uint64_t unused);

  /// Prefixes this thread's names with `name`. \returns the argument for `leave`
  std::size_t enter(std::string_view name);
  void leave(std::size_t size) noexcept;

  void set_step(std::int64_t step) noexcept { step_.store(step, std::memory_order_relaxed); }
  std::uint64_t flush();
  /// \param even_unused whether a recorder that was never called leaves a segment as well
  void close(bool even_unused);
  [[nodiscard]] RecorderReport report() const;
  /// False in a process forked from the recorder's.
  [[nodiscard]] bool is_own_process() const noexcept {
    return platform::os::fork_count() == forks_;
  }
  /// Gives up the background thread, which a forked process does not have, and keeps this object
  /// alive: its mutex may be locked by a thread that does not exist here.
  void abandon(std::shared_ptr<RecorderState> self) noexcept;

 private:
  struct ThisThread;
  using Queued = recording::QueuedRecord;
  using Queue = recording::RecordQueue;

  [[nodiscard]] ThisThread& this_thread();
  /// Returns the name of a call that is kept; null if it is left out.
  recording::Names::Entry* admit(std::string_view name, RecordCall& call);
  [[nodiscard]] Value value_of(recording::Names::Entry& name, Encode encode, void* object);
  /// Reduces a value to the slice that the name's rule keeps, if it keeps one.
  void slice(Value& value, const recording::Names::Entry& name) const;
  /// Adds the record's name to an error.
  [[nodiscard]] Error named(const Error& error, const recording::Names::Entry& name) const;
  /// Reserves that many more bytes. Returns false if there is no room.
  [[nodiscard]] bool try_reserve(std::uint64_t bytes, std::uint64_t most) noexcept;
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  /// Whether the limit on all records allows that many more bytes of content.
  [[nodiscard]] bool may_keep(std::uint64_t content) const noexcept {
    const std::uint64_t kept = kept_bytes_.load();
    return kept <= options_.max_bytes && content <= options_.max_bytes - kept;
  }
  /// Does the same, and counts the bytes if they are allowed.
  [[nodiscard]] bool try_keep(std::uint64_t content) noexcept;
  /// Queues a value if there is room. \returns the count that tells what became of it; null if it
  /// was kept as it is
  std::uint64_t RecordCounts::* keep(Value value, recording::Names::Entry& name,
                                     const RecordCall& call, std::uint32_t thread, bool moved,
                                     std::uint64_t unused);
  void unreserve(std::uint64_t bytes);
  [[nodiscard]] bool has_ended() const;
  void push(Queued&& queued);
  void count(recording::Names::Entry& name, std::uint64_t RecordCounts::* what);
  /// Throws `error_`, unless it was already reported.
  void tell_error();

  // The writer's side.
  void run() noexcept;
  /// The records that the writer has taken: some, the last ones, or none because all is over.
  enum class Turn : std::uint8_t { records, last, nothing };
  /// Waits for records.
  [[nodiscard]] Turn take(Queue& taken);
  /// Takes the last records for the closing thread, which has them in its caches: waking the writer
  /// for 3,000 records of 256 B took a twentieth longer. \returns false while the writer is
  /// working, and for structures, which may be nested too deeply for that thread's stack
  [[nodiscard]] bool take_last(Queue& taken);
  /// Writes the taken records.
  void work(Queue& taken, bool is_last) noexcept;
  void write(Queue& taken, bool is_last);
  /// Records that are not written, and their memory.
  struct Lost {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };
  /// Counts records that were not written as failed and lost.
  void lose(Queue& queue);
  void lose(Queued& queued);
  void write_one(Queued& queued);
  void write_batch();
  /// Releases the memory of the batch after it was written.
  void finish_batch();
  /// \param cost of its first record in the header \param room used instead if it is larger
  void open_segment(std::uint64_t cost, std::uint64_t room);
  void seal_segment(bool closed);
  [[nodiscard]] std::string about(bool closed) const;
  void fail(std::exception_ptr error, bool for_good) noexcept;
  /// Releases the memory of records and counts them as done.
  void finish(std::uint64_t records, std::uint64_t bytes, bool written);

  const std::filesystem::path folder_;
  const RecorderOptions options_;
  const std::uint64_t forks_;
  platform::os::File lock_;
  std::shared_ptr<const std::uint64_t> id_;  // Identifies this recorder among all ever made.
  std::string run_;                          // Identifies its recording, in the segments.
  recording::BufferPool pool_;
  std::atomic<std::int64_t> step_{0};
  std::atomic<std::uint64_t> used_{0};  // Bytes waiting to be written.
  // Whether a waiting thread is to get the next room; set under the mutex.
  std::atomic<bool> is_room_claimed_{false};
  std::atomic<std::uint64_t> kept_bytes_{0};  // Content of all kept records.
  std::atomic<std::uint32_t> threads_{0};

  mutable std::mutex mutex_;  // Guards what follows, up to `error_`.
  std::condition_variable ready_;
  std::condition_variable room_;
  recording::Names names_;
  Queue queue_;
  std::uint64_t queued_bytes_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t done_ = 0;     // Records that are written or lost.
  std::uint64_t written_ = 0;  // Records that are written.
  std::uint64_t segments_ = 0;
  bool is_asleep_ = false;       // The writer waits to be woken.
  bool is_urgent_ = false;       // Someone waits for the writer.
  bool is_working_ = false;      // The writer has taken records.
  bool is_closing_ = false;      // `close` was called.
  bool is_over_ = false;         // The writer takes no more.
  bool is_closed_ = false;       // `close` has finished.
  bool is_told_closed_ = false;  // Write an empty segment if there is no other.
  bool has_ended_ = false;       // The writer writes no more.
  bool was_told_ = false;        // `error_` was thrown by `record` or `flush`.
  std::exception_ptr error_;  // What ended the recording; until then the first error of one record.

  // Used by the writer only, and after `take_last` by the closing thread only.
  recording::SegmentBuffers buffers_;
  std::optional<recording::SegmentWriter> segment_;
  std::uint64_t segment_number_ = 0;
  std::uint64_t room_bytes_;
  std::vector<Queued*> batch_;
  Lost lost_;  // Not yet passed to `finish`.

  std::shared_ptr<RecorderState> self_;  // Set by `abandon`.

  std::thread writer_;  // Last, because it uses all of the above.
};

}  // namespace safestructures::inline v0::detail
