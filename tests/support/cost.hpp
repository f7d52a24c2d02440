/// \file
/// Checks that work takes time proportional to its input.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include <doctest/doctest.h>

namespace safestructures::test {

/// Returns the shortest of several runs, in processor time of this thread: other programs do not
/// count.
template <class Work>
double time_of(const Work& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double least = 1e9;
  for (int run = 0; run < 3; ++run) {
    const double begin = now();
    work();
    least = std::min(least, now() - begin);
  }
  return least;
}

/// Checks that `large` takes at most `most` times as long as `small`. Retries, because other
/// programs may fill the caches.
inline void check_ratio(const std::string& name, const std::function<void()>& small,
                        const std::function<void()>& large, double most) {
  double ratio = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const double least = time_of(small);
    ratio = time_of(large) / least;
    if (ratio < most) return;
  }
  CAPTURE(name);
  CHECK(ratio < most);
}

/// Checks that work takes linear time. Quadratic time would be 64 times as much for 8 times the
/// input.
inline void check_linear(const std::string& name, const std::function<void(std::size_t)>& work,
                         std::size_t n) {
  check_ratio(name, [&] { work(n); }, [&] { work(8 * n); }, 24);
}

}  // namespace safestructures::test
