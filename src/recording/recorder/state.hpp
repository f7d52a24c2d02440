/// \file
/// The implementation of ActivationRecorder: what the threads that record do.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>

#include <safestructures/recording/recorder.hpp>
#include "platform/os.hpp"
#include "recording/recorder/names.hpp"
#include "recording/recorder/parts.hpp"
#include "recording/recorder/record_queue.hpp"
#include "recording/recorder/scopes.hpp"
#include "recording/recorder/writer.hpp"
#include "recording/segments/files.hpp"

namespace safestructures::inline v0::detail {

/// A recorder: its parts, its background thread and its lock.
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
  recording::Scopes::Outer enter(std::string_view name);
  /// Gives this thread a step of its own. \returns the argument for `leave`
  recording::Scopes::Outer enter_step(std::int64_t step) { return scopes_.enter_step(step); }
  void leave(const recording::Scopes::Outer& outer) noexcept { scopes_.leave(outer); }

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
  using Queued = recording::QueuedRecord;

  /// Returns the name of a call that is kept; null if it is left out.
  recording::Names::Entry* admit(const recording::Scopes::Caller& caller, RecordCall& call);
  [[nodiscard]] Value value_of(const recording::Names::Entry& name, Encode encode,
                               void* object) const;
  /// Reduces a value to the slice that the name's rule keeps, if it keeps one.
  void slice(Value& value, const recording::Names::Entry& name) const;
  /// Queues a value if there is room. \returns the count that tells what became of it; null if it
  /// was kept as it is
  std::uint64_t RecordCounts::* keep(Value value, recording::Names::Entry& name,
                                     const RecordCall& call, std::uint32_t thread, bool moved,
                                     std::uint64_t unused);
  /// Reserves memory, waiting for it if the options say so. Returns false if there is no room.
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  void push(Queued&& queued);

  const std::uint64_t forks_;
  recording::Scopes scopes_;
  recording::RecorderParts parts_;
  recording::Writer writer_;
  std::atomic<std::int64_t> step_{0};
  recording::FolderLock lock_;
  std::shared_ptr<RecorderState> self_;  // Set by `abandon`.

  std::thread thread_;  // Last, because it uses all of the above.
};

}  // namespace safestructures::inline v0::detail
