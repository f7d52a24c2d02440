/// \file
/// Runs work on a thread with a small stack.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>

#include <doctest/doctest.h>

namespace safestructures::test {

// Sanitizers, and code that is not optimised, need several times the stack for the same frames.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
inline constexpr std::size_t stack_factor = 8;
#else
inline constexpr std::size_t stack_factor = 1;
#endif

/// Runs `work` on its own thread with `kib` KiB of stack, or the least that the system allows: 128
/// KiB on ARM64.
inline void with_stack(std::size_t kib, std::function<void()> work) {
  pthread_attr_t attributes;
  REQUIRE(::pthread_attr_init(&attributes) == 0);
  const auto least = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
  REQUIRE(::pthread_attr_setstacksize(&attributes, std::max(kib << 10U, least)) == 0);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  REQUIRE(::pthread_create(&thread, &attributes, run, &work) == 0);
  REQUIRE(::pthread_join(thread, nullptr) == 0);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace safestructures::test
