/// \file
/// How one measurement is taken: in a process of its own, which prints one line of JSON,
/// `{"ns": 123, "peak": 456}`: nanoseconds, and bytes of resident memory above what was there
/// before.
///
/// On virtual machines the first touch of memory that went back to the host costs up to 3 s/GiB. So
/// as much memory as the measured work and its page cache need is touched and freed right before.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;
inline constexpr std::size_t gib = 1024 * mib;

/// Touches and frees that many bytes.
void warm_memory(std::size_t bytes);

/// Sets the high-water mark of this process's memory back to what it is now; returns that, in
/// bytes.
std::size_t reset_peak();
/// The most resident memory since then, in bytes above what `reset_peak` returned.
std::size_t peak_above(std::size_t before);

void print_result(std::int64_t nanoseconds, std::size_t peak_bytes);

/// Ends the program with a message unless `fact` holds: a wrong result must not be a fast one.
void require(bool fact, std::string_view what);

/// Keeps the compiler from dropping the computation of `value`.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

using Clock = std::chrono::steady_clock;

template <class Run>
std::int64_t nanoseconds_of(const Run& run) {
  const auto start = Clock::now();
  run();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Measures `run` once. \param bytes memory and page cache that it needs, touched before
template <class Run>
void measure(std::size_t bytes, const Run& run) {
  warm_memory(bytes);
  const std::size_t before = reset_peak();
  const std::int64_t nanoseconds = nanoseconds_of(run);
  print_result(nanoseconds, peak_above(before));
}

/// Measures something that takes microseconds: the median of many runs, with `prepare` before each,
/// whose time does not count.
template <class Prepare, class Run>
void measure_each(const Prepare& prepare, const Run& run) {
  constexpr std::size_t count = 2000;
  std::vector<std::int64_t> times(count);
  const std::size_t before = reset_peak();
  for (std::int64_t& time : times) {
    prepare();
    time = nanoseconds_of(run);
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(count / 2));
  print_result(times[count / 2], peak_above(before));
}

}  // namespace bench
