/// \file
/// A system that fails on demand. Linking support/failing_system.cpp with `-Wl,--wrap` (see
/// tests/CMakeLists.txt) replaces the library's system calls, and operator new.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace failing_system {

/// The behaviour of the replaced calls. Without a fault they only leave a trace.
struct Script {
  std::string_view call;     // The call that fails,
  int skip = 0;              // after this many that succeed,
  int times = 0;             // this many times,
  int error = 0;             // with this; 0 transfers `transfer` bytes at most instead.
  std::size_t transfer = 0;  // For reads and writes.
  bool hangs = false;        // Instead of failing, it never returns.
  bool tracing = false;
  std::vector<std::string> trace;
  std::vector<int> open_flags;         // The flags of every file that was opened,
  std::vector<unsigned> create_modes;  // and the modes of those that were created.
  int access_flags = 0;                // The flags of the last check whether a file may be written.
};
extern Script script;

/// Counts down to the allocation that fails; negative if none does.
extern long allocations_left;

}  // namespace failing_system
