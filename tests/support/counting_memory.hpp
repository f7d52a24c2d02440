/// \file
/// Memory that is counted and that runs out on demand. Linking support/counting_memory.cpp replaces
/// operator new, and with `-Wl,--wrap` (see tests/CMakeLists.txt) what maps new memory.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <string>

#include <safestructures/data/error.hpp>

namespace counting_memory {

// In bytes, for all threads.
extern std::atomic<std::size_t> held;
extern std::atomic<std::size_t> most;  // The most held at once since a test set it.
// The largest request to operator new since a test set it.
extern std::atomic<std::size_t> largest;

/// Whether memory runs out for one allocation only, or for all later ones, too.
enum class Ends { once, for_good };

/// Makes memory run out after that many allocations by all threads that are not spared.
void end_after(long allocations, Ends ends);
/// Stops memory from running out. \returns whether it had run out
bool go_on();
/// Whether memory never runs out for this thread.
extern thread_local bool is_spared;

/// Returns the most memory held at once during the work, in addition to what was held before.
template <class Work>
std::size_t peak_of(const Work& work) {
  const std::size_t before = held;
  most = before;
  work();
  return most - before;
}

/// Runs the work with memory that runs out at its first allocation, at its second, and so on, until
/// it succeeds. Until then it must throw bad_alloc.
/// \param work returns whether all is right \param check is called after each run with whether it
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
