/// \file
/// Limits on what waits to be written and on what is recorded in total.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace safestructures::inline v0::recording {

/// The memory of waiting records, and who waits for some to be released. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  /// Returns the bytes in use.
  [[nodiscard]] const std::atomic<std::uint64_t>& used() const noexcept { return used_; }

  /// Reserves that many more bytes if there is room and nobody waits for it. With nothing in use
  /// there is room for any number.
  [[nodiscard]] bool try_reserve(std::uint64_t bytes) noexcept;
  /// Does the same with a sixteenth more room, whoever waits.
  [[nodiscard]] bool try_reserve_more(std::uint64_t bytes) noexcept;
  /// Waits for room. \returns false, without it, once `end` was called
  [[nodiscard]] bool wait_and_reserve(std::uint64_t bytes);
  void release(std::uint64_t bytes);
  /// Makes everybody who waits give up, now or later.
  void end() noexcept;

 private:
  [[nodiscard]] bool try_reserve(std::uint64_t bytes, std::uint64_t most) noexcept;

  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};  // Becomes less under the mutex only.
  // Whether a waiting thread is to get the next room; set under the mutex.
  std::atomic<bool> is_room_claimed_{false};
  std::mutex mutex_;
  std::condition_variable room_;
  bool has_ended_ = false;
};

/// The content of all kept records, which has a limit. Thread-safe.
class ContentLimit {
 public:
  explicit ContentLimit(std::uint64_t most) : most_(most) {}

  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_; }
  /// Whether that many more bytes are allowed.
  [[nodiscard]] bool allows(std::uint64_t bytes) const noexcept { return allows(bytes, kept_); }
  /// Counts that many more bytes if they are allowed.
  [[nodiscard]] bool try_keep(std::uint64_t bytes) noexcept;
  /// Takes back what was counted.
  void give_back(std::uint64_t bytes) noexcept { kept_ -= bytes; }

 private:
  [[nodiscard]] bool allows(std::uint64_t bytes, std::uint64_t kept) const noexcept {
    return kept <= most_ && bytes <= most_ - kept;
  }

  const std::uint64_t most_;
  std::atomic<std::uint64_t> kept_{0};
};

}  // namespace safestructures::inline v0::recording
