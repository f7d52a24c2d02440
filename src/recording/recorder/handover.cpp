#include "recording/recorder/handover.hpp"

#include <chrono>
#include <utility>

namespace safestructures::inline v0::recording {
namespace {

using namespace std::chrono_literals;

// How long records are gathered before they are written: calls cost more than small records do.
constexpr auto gather_time = 1ms;
constexpr std::uint64_t gather_bytes = std::uint64_t{1} << 20U;
// From this size on, the writer is woken instead of left to look for itself.
constexpr std::uint64_t call_writer_from = std::uint64_t{1} << 20U;
// After this many looks at an empty queue, the writer waits to be woken, which costs the waker
// several microseconds.
constexpr int most_looks = 50;

}  // namespace

bool Handover::push(QueuedRecord&& record) {
  const std::uint64_t bytes = record.bytes;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_over_) return false;
    record.record.head.sequence = next_sequence_;
    queue_.push_back(std::move(record));
    ++next_sequence_;
    const std::uint64_t before = std::exchange(queued_bytes_, queued_bytes_ + bytes);
    wake = std::exchange(is_asleep_, false) ||
           (before < call_writer_from && queued_bytes_ >= call_writer_from);
  }
  if (wake) ready_.notify_one();
  return true;
}

void Handover::hurry() {
  const std::lock_guard lock(mutex_);
  is_urgent_ = true;
  ready_.notify_one();
}

std::uint64_t Handover::wait_for_all() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = next_sequence_;
  is_urgent_ = true;
  ready_.notify_one();
  done_.wait(lock, [&] { return finished_ >= target; });
  return written_;
}

std::uint64_t Handover::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

bool Handover::begin_closing() {
  const std::lock_guard lock(mutex_);
  return !is_closing_.exchange(true);
}

bool Handover::take_last(RecordQueue& taken) {
  const std::lock_guard lock(mutex_);
  ready_.notify_one();
  if (is_working_ || !queue_.is_flat()) return false;
  is_over_ = true;
  queued_bytes_ = 0;
  std::swap(queue_, taken);
  return true;
}

void Handover::end_closing() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  done_.notify_all();
}

void Handover::wait_until_closed() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return is_closed_; });
}

Handover::Turn Handover::take(RecordQueue& taken) {
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

void Handover::take_waiting(RecordQueue& taken) {
  const std::lock_guard lock(mutex_);
  std::swap(queue_, taken);
  queued_bytes_ = 0;
}

void Handover::finish(std::uint64_t records, bool written) {
  const std::lock_guard lock(mutex_);
  finished_ += records;
  if (written) written_ += records;
  done_.notify_all();
}

}  // namespace safestructures::inline v0::recording
