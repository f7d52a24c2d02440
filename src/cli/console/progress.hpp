/// \file
/// Shows the progress of long work, for people at a terminal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace safestructures::cli {

/// While it lives, and from the end of its first second on, a line on standard error shows how far
/// the work is and how fast it goes; the line is removed at the end. Nothing is shown for less than
/// 1 GiB, or if standard error is not a terminal.
class Progress {
 public:
  Progress(std::string what, std::uint64_t bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns whether progress is shown.
  [[nodiscard]] bool is_shown() const noexcept { return thread_.joinable(); }
  /// Adds so many bytes to those done. May be called from any thread.
  void add(std::uint64_t bytes) noexcept { done_ += bytes; }

 private:
  void tick();

  const std::string what_;
  const std::uint64_t total_;
  std::atomic<std::uint64_t> done_ = 0;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable stop_;
  std::thread thread_;
};

}  // namespace safestructures::cli
