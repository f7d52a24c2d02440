#include "recording/recorder/memory_budget.hpp"

namespace safestructures::inline v0::recording {

bool MemoryBudget::try_reserve(std::uint64_t bytes, std::uint64_t most) noexcept {
  // `used_` must never be too large even for a moment: a waiting thread would look just then, and
  // not again.
  std::uint64_t used = used_.load();
  do {
    if (used != 0 && (used > most || bytes > most - used)) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes));
  return true;
}

bool MemoryBudget::try_reserve(std::uint64_t bytes) noexcept {
  return !is_room_claimed_.load(std::memory_order_relaxed) && try_reserve(bytes, limit_);
}

bool MemoryBudget::try_reserve_more(std::uint64_t bytes) noexcept {
  return try_reserve(bytes, limit_ + limit_ / 16);
}

bool MemoryBudget::wait_and_reserve(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  // One waiting thread is next, and the others wait for it: otherwise small records would take all
  // the room that becomes free, and a large one could wait for as long as they come.
  bool is_next = false;
  room_.wait(lock, [&] {
    if (has_ended_) return true;
    if (is_room_claimed_ && !is_next) return false;
    is_room_claimed_ = is_next = true;
    return try_reserve(bytes, limit_);
  });
  if (is_next) {
    is_room_claimed_ = false;
    room_.notify_all();
  }
  return !has_ended_;
}

void MemoryBudget::release(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  room_.notify_all();
}

void MemoryBudget::end() noexcept {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  room_.notify_all();
}

bool ContentLimit::try_keep(std::uint64_t bytes) noexcept {
  std::uint64_t kept = kept_.load();
  do {
    if (!allows(bytes, kept)) return false;
  } while (!kept_.compare_exchange_weak(kept, kept + bytes));
  return true;
}

}  // namespace safestructures::inline v0::recording
