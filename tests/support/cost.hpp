/// \file
/// Whether work takes time in proportion to its input.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include <doctest/doctest.h>

namespace safestructures::test {

/// The least time of several runs, of this thread's processor: other programs do not count.
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

/// `large` takes at most `most` times the time of `small`. Retried, for caches that others fill.
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

/// Quadratic time is 64 times as much for 8 times the input.
inline void check_linear(const std::string& name, const std::function<void(std::size_t)>& work,
                         std::size_t n) {
  check_ratio(name, [&] { work(n); }, [&] { work(8 * n); }, 24);
}

}  // namespace safestructures::test
