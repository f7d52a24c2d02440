/// \file
/// Divides work into pieces for several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <vector>

#include "platform/crew.hpp"
#include "platform/processors.hpp"

namespace safestructures::inline v0::platform {

/// From this size on, a second thread pays off for work that only moves bytes.
inline constexpr std::size_t two_threads_from = std::size_t{32} << 20U;
/// Each of these justifies one more thread.
inline constexpr std::size_t moved_share = two_threads_from / 2;

/// Calls `work(offset, size, worker)` for pieces that cover `total`, on at most `threads` threads
/// including this one; `worker` is less than their number. An exception ends the work once all
/// pieces before it are done. The exception of the first failing piece is rethrown, as with one
/// thread.
template <class Work>
void in_pieces(std::size_t total, std::size_t piece, const Work& work, unsigned threads) {
  struct Failure {
    std::size_t offset = 0;
    std::exception_ptr cause;
  };
  const std::size_t pieces = piece == 0 ? 0 : total / piece + (total % piece == 0 ? 0 : 1);
  const auto most =
      static_cast<unsigned>(std::clamp<std::size_t>(pieces, 1, std::max(threads, 1U)));
  std::vector<Failure> failures(most);
  std::atomic<std::size_t> next{0};
  const auto run = [&](unsigned worker) {
    // Pieces are not divided further if there are already several threads.
    const LimitScope limit(most > 1 ? 1 : thread_limit());
    std::size_t offset = 0;
    try {
      while ((offset = next.fetch_add(piece, std::memory_order_relaxed)) < total)
        work(offset, std::min(piece, total - offset), worker);
    } catch (...) {
      failures[worker] = {offset, std::current_exception()};
      next = total;
    }
  };
  if (most == 1) {
    run(0);
  } else if (Crew* const crew = Crew::current()) {
    crew->run(most, run);
  } else {
    Crew().run(most, run);
  }
  const Failure* first = nullptr;
  for (const Failure& failure : failures)
    if (failure.cause && (first == nullptr || failure.offset < first->offset)) first = &failure;
  if (first != nullptr) std::rethrow_exception(first->cause);
}

/// The same, on as many threads as pay off for moving `total` bytes.
template <class Work>
void in_pieces(std::size_t total, std::size_t piece, const Work& work) {
  in_pieces(total, piece, work, threads_for(total, moved_share));
}

}  // namespace safestructures::inline v0::platform
