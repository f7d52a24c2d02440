/// \file
/// Memory that is counted, and that runs out as told. Linking support/counting_memory.cpp replaces
/// operator new.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <new>

#include <safestructures/data/error.hpp>

namespace counting_memory {

// Bytes, of all threads.
extern std::atomic<std::size_t> held;
extern std::atomic<std::size_t> most;     // Held at once, since somebody set it.
extern std::atomic<std::size_t> largest;  // Asked for at once, since somebody set it.

/// Whether the allocations behind the one that fails do, too.
enum class Ends { once, for_good };

/// Has memory run out after so many allocations of all threads that are not spared.
void end_after(long allocations, Ends ends);
/// Memory does not run out. \returns whether it had
bool go_on();
/// For whom memory does not run out.
extern thread_local bool is_spared;

/// The most that is held at once while it works, beside what was before.
template <class Work>
std::size_t peak_of(const Work& work) {
  const std::size_t before = held;
  most = before;
  work();
  return most - before;
}

/// Runs the work with memory that runs out at its first allocation, at its second, and so on, until
/// it succeeds. What it throws until then must be bad_alloc.
/// \param work returns whether all is right \param check is told after each time whether it
/// succeeded \returns how often memory ran out
template <class Work, class Check>
long run_out(Ends ends, const Work& work, const Check& check) {
  for (long failures = 0;; ++failures) {
    CAPTURE(failures);
    bool is_right = false;
    bool is_bad_alloc = false;
    std::string error;
    end_after(failures, ends);
    try {
      is_right = work();
    } catch (const std::bad_alloc&) {
      is_bad_alloc = true;
    } catch (const std::exception& other) {
      go_on();
      error = other.what();
    }
    const bool ran_out = go_on();
    REQUIRE(error == "");
    REQUIRE(is_right != is_bad_alloc);
    check(is_right);
    if (!ran_out) return failures;
  }
}

}  // namespace counting_memory
