/// \file
/// What an ActivationRecorder is made of: the queue between the threads that record and the one
/// that writes.
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
  void record(std::string_view name, Encode encode, void* object, bool moved);

  /// Puts a name in front of this thread's names. \returns what `leave` takes
  std::size_t enter(std::string_view name);
  void leave(std::size_t size) noexcept;

  void set_step(std::int64_t step) noexcept { step_.store(step, std::memory_order_relaxed); }
  std::uint64_t flush();
  /// \param even_unused whether a recorder that was never called leaves a segment as well
  void close(bool even_unused);
  [[nodiscard]] RecorderReport report() const;
  /// False in a process that was forked from the recorder's.
  [[nodiscard]] bool is_own_process() const noexcept {
    return platform::os::fork_count() == forks_;
  }
  /// Lets go of the thread in the background, which a forked process does not have, and stays where
  /// it is: its mutex may be locked by a thread that is not there.
  void abandon(std::shared_ptr<RecorderState> self) noexcept;

 private:
  struct ThisThread;
  using Queued = recording::QueuedRecord;
  using Queue = recording::RecordQueue;

  [[nodiscard]] ThisThread& this_thread();
  /// The name of a call that is kept; null for one that is left out.
  recording::Names::Entry* admit(std::string_view name, RecordCall& call);
  [[nodiscard]] Value value_of(recording::Names::Entry& name, Encode encode, void* object);
  /// An error of one record, which says so.
  [[nodiscard]] Error named(const Error& error, const recording::Names::Entry& name) const;
  /// Whether there is room for that many bytes more, which are then taken.
  [[nodiscard]] bool try_reserve(std::uint64_t bytes, std::uint64_t most) noexcept;
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  /// Whether the limit on all records allows that many bytes of content more.
  [[nodiscard]] bool may_keep(std::uint64_t content) const noexcept {
    const std::uint64_t kept = kept_bytes_.load();
    return kept <= options_.most_bytes && content <= options_.most_bytes - kept;
  }
  /// The same, and counts them.
  [[nodiscard]] bool try_keep(std::uint64_t content) noexcept;
  /// Takes a value over where there is room for it. \returns what became of it: null where it was
  /// kept as it is
  std::uint64_t RecordCounts::* keep(Value value, recording::Names::Entry& name,
                                     const RecordCall& call, std::uint32_t thread, bool moved);
  void unreserve(std::uint64_t bytes);
  [[nodiscard]] bool has_ended() const;
  void push(Queued&& queued);
  void count(recording::Names::Entry& name, std::uint64_t RecordCounts::* what);
  /// Throws `error_`, unless that was told already.
  void tell_error();

  // The writer's side.
  void run() noexcept;
  /// What the writer has taken: records, the last there will be, or nothing any more.
  enum class Turn : std::uint8_t { records, last, nothing };
  /// Waits for records.
  [[nodiscard]] Turn take(Queue& taken);
  /// Takes the last ones for the thread that closes, which has them in its caches: woken for 3,000
  /// records of 256 B, the writer took a twentieth longer. \returns false while the writer works,
  /// and of structures, which may be nested deeper than that thread's stack holds
  [[nodiscard]] bool take_last(Queue& taken);
  /// Writes what was taken.
  void work(Queue& taken, bool is_last) noexcept;
  void write(Queue& taken, bool is_last);
  /// Records that are not written, and what they take in memory.
  struct Lost {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };
  /// Counts what was not written as failed, and as lost.
  void lose(Queue& queue);
  void lose(Queued& queued);
  void write_one(Queued& queued);
  void write_batch();
  /// Gives back what the batch, which is written, took.
  void finish_batch();
  /// \param cost of its first record, before the header \param room if that is more
  void open_segment(std::uint64_t cost, std::uint64_t room);
  void seal_segment(bool closed);
  [[nodiscard]] std::string about(bool closed) const;
  void fail(std::exception_ptr error, bool for_good) noexcept;
  /// Gives the memory of records back and counts them as done.
  void finish(std::uint64_t records, std::uint64_t bytes, bool written);

  const std::filesystem::path folder_;
  const RecorderOptions options_;
  const std::uint64_t forks_;
  platform::os::File lock_;
  std::shared_ptr<const std::uint64_t> id_;  // Names this recorder among all that ever were.
  std::string run_;                          // Names its recording among others, in the segments.
  recording::BufferPool pool_;
  std::atomic<std::int64_t> step_{0};
  std::atomic<std::uint64_t> used_{0};        // Bytes of what waits.
  std::atomic<std::uint64_t> kept_bytes_{0};  // Content of all that was kept.
  std::atomic<std::uint32_t> threads_{0};

  mutable std::mutex mutex_;  // Of all below.
  std::condition_variable ready_;
  std::condition_variable room_;
  recording::Names names_;
  Queue queue_;
  std::uint64_t queued_bytes_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t done_ = 0;     // Records that are written, or lost.
  std::uint64_t written_ = 0;  // Records that are written.
  std::uint64_t segments_ = 0;
  bool is_asleep_ = false;       // The writer waits until it is called.
  bool is_urgent_ = false;       // Somebody waits for the writer.
  bool is_working_ = false;      // The writer has taken records.
  bool is_closing_ = false;      // Somebody has called `close`.
  bool is_over_ = false;         // The writer takes no more.
  bool is_closed_ = false;       // That call is through.
  bool is_told_closed_ = false;  // By a segment without records, where there is no other.
  bool has_ended_ = false;       // The writer writes no more.
  bool was_told_ = false;        // By a call of record or flush: error_.
  std::exception_ptr error_;  // What ended the recording; until then the first error of one record.

  // The writer's own, and behind `take_last` the own of who closes.
  recording::SegmentBuffers buffers_;
  std::optional<recording::SegmentWriter> segment_;
  std::uint64_t segment_number_ = 0;
  std::uint64_t room_bytes_;
  std::vector<Queued*> batch_;
  Lost lost_;  // That `finish` was not told of.

  std::shared_ptr<RecorderState> self_;  // Once it is abandoned.

  std::thread writer_;  // The last: it uses all above.
};

}  // namespace safestructures::inline v0::detail
