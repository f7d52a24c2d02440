/// \file
/// Work in pieces on two threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>

namespace safestructures::platform {

/// From this size on a second thread is worth its start. Two threads already fill the memory bus
/// (docs/performance.md); more would only disturb others.
inline constexpr std::size_t two_threads_from = std::size_t{32} << 20U;

/// Calls `work(offset, size)` for pieces that cover `total` bytes, from a second thread as well
/// where that pays. The first exception ends the work and is thrown here.
template <class Work>
void in_pieces(std::size_t total, std::size_t piece, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (;;) {
      const std::size_t offset = next.fetch_add(piece, std::memory_order_relaxed);
      if (offset >= total) return;
      work(offset, total - offset < piece ? total - offset : piece);
    }
  };
  if (total < two_threads_from || std::thread::hardware_concurrency() == 1) return run();

  std::exception_ptr failure;
  std::thread helper;
  try {
    helper = std::thread([&] {
      try {
        run();
      } catch (...) {
        failure = std::current_exception();
        next = total;
      }
    });
  } catch (const std::system_error&) {
    // No thread to be had: this one does all the work.
  }
  try {
    run();
  } catch (...) {
    next = total;
    if (helper.joinable()) helper.join();
    throw;
  }
  if (helper.joinable()) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace safestructures::platform
