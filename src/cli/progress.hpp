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

/// While it lives, a line on standard error says how far the work is, from its second second on;
/// the line is gone at the end. Nothing is said of less than 1 GiB, or when that is no terminal.
class Progress {
 public:
  /// \param is_counted whether `add` is called: a percentage is shown then, else only the seconds
  Progress(std::string what, std::uint64_t bytes, bool is_counted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t bytes) noexcept { done_ += bytes; }

 private:
  void tick();

  const std::string what_;
  const std::uint64_t total_;
  const bool is_counted_;
  std::atomic<std::uint64_t> done_ = 0;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable stop_;
  std::thread thread_;
};

}  // namespace safestructures::cli
