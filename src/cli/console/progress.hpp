/// \file
/// Progress of long work, for people at a terminal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace safestructures::cli {

/// While it lives, a line on standard error says how far the work is and how fast it goes, from its
/// second second on; the line is gone at the end. Nothing is said of less than 1 GiB, or when that
/// is no terminal.
class Progress {
 public:
  Progress(std::string what, std::uint64_t bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether anybody watches.
  [[nodiscard]] bool is_shown() const noexcept { return thread_.joinable(); }
  /// So many bytes more are done. From any thread.
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
