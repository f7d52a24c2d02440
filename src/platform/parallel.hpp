/// \file
/// Work in pieces on two threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

namespace safestructures::inline v0::platform {

/// From this size on a second thread is worth its start. Two threads already fill the memory bus
/// (docs/performance.md); more would only disturb others.
inline constexpr std::size_t two_threads_from = std::size_t{32} << 20U;

/// Calls `work(offset, size, worker)` for pieces that cover `total` bytes, from a second thread as
/// well where that pays; `worker` is 0 or 1. An exception ends the work once the pieces in front of
/// it are done, and that of the foremost piece is thrown here: the same as of one thread.
/// \param helper_from the total that pays, for work that does more than move bytes
template <class Work>
void in_pieces(std::size_t total, std::size_t piece, const Work& work,
               std::size_t helper_from = two_threads_from) {
  struct Failure {
    std::size_t offset = 0;
    std::exception_ptr cause;
  };
  std::array<Failure, 2> failures;
  std::atomic<std::size_t> next{0};
  const auto run = [&](unsigned worker) {
    std::size_t offset = 0;
    try {
      while ((offset = next.fetch_add(piece, std::memory_order_relaxed)) < total)
        work(offset, std::min(piece, total - offset), worker);
    } catch (...) {
      failures[worker] = {offset, std::current_exception()};
      next = total;
    }
  };
  std::thread helper;
  if (total >= helper_from && std::thread::hardware_concurrency() != 1) {
    try {
      helper = std::thread(run, 1U);
    } catch (const std::system_error&) {
      // No thread to be had: this one does all the work.
    }
  }
  run(0);
  if (helper.joinable()) helper.join();
  if (failures[1].cause && (!failures[0].cause || failures[1].offset < failures[0].offset))
    std::swap(failures[0], failures[1]);
  if (failures[0].cause) std::rethrow_exception(failures[0].cause);
}

}  // namespace safestructures::inline v0::platform
