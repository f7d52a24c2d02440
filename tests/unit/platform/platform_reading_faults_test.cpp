/// \file
/// Reading and mapping when the system fails, as platform_faults_test.cpp does for saving.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <new>

#include <doctest/doctest.h>

#include <safestructures/data/error.hpp>

#include "platform/file.hpp"
#include "platform/memory.hpp"
#include "support/failing_system.hpp"
#include "support/platform_folder.hpp"

using namespace safestructures::platform;
using failing_system::allocations_left;
using failing_system::script;
using platform_test::check_error;
using platform_test::Folder;
using platform_test::map_whole;
using platform_test::mib;
using safestructures::ErrorCode;

namespace {

/// Makes a file. The system does not fail yet.
std::filesystem::path file_in(const Folder& folder) {
  script = {};
  platform_test::put(folder / "f", "old");
  return folder / "f";
}

}  // namespace

TEST_CASE("a failed read names the byte") {
  const Folder folder;
  const std::filesystem::path path = file_in(folder);
  const InputFile file(path);
  script.call = "read";
  script.times = 1;
  script.error = EIO;
  std::array<std::byte, 2> found{};
  check_error([&] { file.read_at(1, found); }, ErrorCode::cannot_read,
              path.string() +
                  ": cannot read the file: Input/output error (byte 1). The disk or the network "
                  "failed; see the system's log.");
}

TEST_CASE("a failed mapping is an error") {
  const Folder folder;
  const std::filesystem::path path = file_in(folder);
  const InputFile file(path);
  script.call = "mmap";
  script.times = 1;
  script.error = ENOMEM;
  check_error([&] { auto mapping = map_whole(file); }, ErrorCode::cannot_read,
              path.string() +
                  ": cannot map the file: Cannot allocate memory (byte 0). Free some memory, or "
                  "read instead of mapping the file.");
}

TEST_CASE("a buffer that cannot be mapped by itself comes from the heap") {
  script = {};
  script.call = "mmap";
  script.times = 1;
  script.error = ENOMEM;
  const auto buffer = map_buffer(3 * mib);
  CHECK(script.times == 0);
  std::fill_n(buffer.get(), 3 * mib, std::byte{1});
}

TEST_CASE("out of memory while a file is opened or mapped is bad_alloc") {
  const Folder folder;
  const std::filesystem::path path = file_in(folder);
  long failures = 0;
  for (bool done = false; !done; ++failures) {
    allocations_left = failures;
    try {
      const auto mapping = map_whole(path);
      const auto buffer = allocate_buffer(3 * mib);
      const auto mapped_by_itself = map_buffer(3 * mib);
      done = true;
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
  }
  CHECK(failures > 2);
}
