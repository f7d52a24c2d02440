/// \file
/// The platform layer when the system fails. Its system calls are replaced at link time, so that
/// the code under test is the very code that ships.
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/error.hpp>

#include "platform/atomic_file.hpp"
#include "platform/file.hpp"
#include "platform/parallel.hpp"
#include "platform/processors.hpp"
#include "support/failing_system.hpp"
#include "support/platform_folder.hpp"

namespace fs = std::filesystem;
using namespace safestructures::platform;
using failing_system::allocations_left;
using failing_system::script;
using platform_test::Bytes;
using platform_test::mib;
using safestructures::Error;
using safestructures::ErrorCode;

namespace {

/// A folder that holds the file "f", and a system that does not fail yet.
class Folder {
 public:
  Folder() {
    script = {};
    platform_test::put(file(), "old");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { script = {}; }

  [[nodiscard]] fs::path file() const { return folder_ / "f"; }
  [[nodiscard]] bool holds_only_the_file() const {
    return folder_.names() == std::vector<std::string>{"f"};
  }
  [[nodiscard]] std::string content() const { return platform_test::get(file()); }

 private:
  platform_test::Folder folder_;
};

const Bytes& data() {
  static const Bytes bytes(20 * mib, std::byte{'x'});
  return bytes;
}

/// Small, large and computed pieces: 20 MiB and 1200 bytes.
void save(const fs::path& path, bool durable = false, std::uint64_t hint = 32 * mib) {
  AtomicFile file(path, {.size_hint = hint, .durable = durable});
  file.write(std::span(data()).first(200));
  file.write(data());
  for (int piece = 0; piece < 10; ++piece) {
    const std::span<std::byte> room = file.prepare(100, 100);
    std::fill(room.begin(), room.end(), std::byte{'x'});
    file.produced(100);
  }
  file.commit();
}

std::string saved() { return std::string(20 * mib + 1200, 'x'); }

std::string text_of_failed_save(const fs::path& path, bool durable) {
  try {
    save(path, durable);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::cannot_write);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a failing system call leaves the old file, no temporary file, and says what to do") {
  struct Case {
    std::string_view call;
    int skip;
    int error;
    std::string rest;
  };
  const std::string space = "Free some space on the disk, or save to another one.";
  const std::string io = "The disk or the network failed; see the system's log.";
  const std::string permission =
      "Check the permissions of the file and of its folder; the folder must be writable.";
  const std::vector<Case> cases = {
      {"create", 0, EACCES, "cannot create a file in its folder: Permission denied. " + permission},
      {"create", 0, EROFS,
       "cannot create a file in its folder: Read-only file system. Save to another folder: this "
       "file system is mounted read-only."},
      {"create", 0, EMFILE,
       "cannot create a file in its folder: Too many open files. Close some files, or raise the "
       "limit (ulimit -n)."},
      {"create", 0, ENOSPC,
       "cannot create a file in its folder: No space left on device. " + space},
      {"fallocate", 0, ENOSPC,
       "cannot reserve 33554432 bytes on the disk: No space left on device. " + space},
      {"fallocate", 0, EFBIG,
       "cannot reserve 33554432 bytes on the disk: File too large. Write smaller files "
       "(shards, or a recorder's segment_bytes), raise the limit (ulimit -f), or save to another "
       "file "
       "system."},
      {"write", 0, ENOSPC, "cannot write the file: No space left on device. " + space},
      {"write", 1, EDQUOT,
       "cannot write the file: Disk quota exceeded (byte 16777216). Free some of your disk quota, "
       "or save to another disk."},
      {"write", 2, EIO, "cannot write the file: Input/output error (byte 20971520). " + io},
      {"ftruncate", 0, EIO,
       "cannot cut the file to its size: Input/output error (byte 20972720). " + io},
      {"fsync", 0, EIO,
       "cannot synchronise the file with the disk: Input/output error (byte 20972720). " + io},
      {"close", 0, ENOSPC,
       "cannot finish writing the file: No space left on device (byte 20972720). " + space},
      {"rename", 0, EACCES,
       "cannot rename the temporary file: Permission denied (byte 20972720). " + permission},
  };
  for (const Case& one : cases) {
    CAPTURE(one.call);
    CAPTURE(one.error);
    const Folder folder;
    script.call = one.call;
    script.skip = one.skip;
    script.times = 1;
    script.error = one.error;
    const std::string text = text_of_failed_save(folder.file(), true);
    CHECK(text == folder.file().string() + ": " + one.rest);
    CHECK(script.times == 0);
    CHECK(folder.content() == "old");
    CHECK(folder.holds_only_the_file());
  }
}

TEST_CASE("a folder that cannot be synchronised is an error that says the file is in place") {
  const Folder folder;
  script.call = "fsync";
  script.skip = 1;
  script.times = 1;
  script.error = EIO;
  CHECK(text_of_failed_save(folder.file(), true) ==
        folder.file().string() +
            ": the file is in place, but cannot synchronise its folder: Input/output error (byte "
            "20972720). The disk or the network failed; see the system's log.");
  CHECK(folder.content() == saved());
  CHECK(folder.holds_only_the_file());
}

TEST_CASE("an optional operation that a file system does not support is no error") {
  struct Case {
    std::string_view call;
    int error;
  };
  const std::vector<Case> cases = {{"fallocate", EOPNOTSUPP}, {"fallocate", ENOSYS},
                                   {"fallocate", EINVAL},     {"sync", ENOSYS},
                                   {"fchmod", EPERM},         {"create", EEXIST}};
  for (const Case& one : cases) {
    CAPTURE(one.call);
    const Folder folder;
    fs::permissions(folder.file(), fs::perms::all);
    script.call = one.call;
    script.times = 1;
    script.error = one.error;
    save(folder.file(), true);
    CHECK(script.times == 0);
    CHECK(folder.content() == saved());
    CHECK(folder.holds_only_the_file());
  }
}

TEST_CASE("interrupted calls are repeated") {
  for (const std::string_view call :
       {"create", "fchmod", "fallocate", "write", "ftruncate", "fsync", "rename", "open", "read"}) {
    CAPTURE(call);
    const Folder folder;
    script.call = call;
    script.times = 3;
    script.error = EINTR;
    save(folder.file(), true);
    const InputFile file(folder.file());
    Bytes found(file.size());
    file.read_at(0, found);
    CHECK(script.times == 0);
    CHECK(found == Bytes(saved().size(), std::byte{'x'}));
  }
}

TEST_CASE("a close that is interrupted is not repeated: the descriptor may be another's by then") {
  const Folder folder;
  script.call = "close";
  script.times = 1;
  script.error = EINTR;
  save(folder.file());
  CHECK(folder.content() == saved());
}

TEST_CASE("short reads and writes are continued") {
  for (const std::size_t transfer : {1U, 199U, 201U, 4096U, 1'000'000U}) {
    CAPTURE(transfer);
    const Folder folder;
    script.call = "write";
    script.times = 5;
    script.transfer = transfer;
    Bytes expected;
    {
      AtomicFile file(folder.file());
      for (int piece = 0; piece < 100; ++piece) {
        const Bytes bytes(1 + static_cast<std::size_t>(piece) * 997, static_cast<std::byte>(piece));
        file.write_copied(bytes);
        expected.insert(expected.end(), bytes.begin(), bytes.end());
      }
      file.commit();
    }
    CHECK(script.times == 0);
    script.call = "read";
    script.times = 5;
    const InputFile file(folder.file());
    REQUIRE(file.size() == expected.size());
    Bytes found(expected.size());
    file.read_at(0, found);
    CHECK(script.times == 0);
    CHECK(found == expected);
  }
}

TEST_CASE("a system that writes nothing and says nothing is an error, not an endless loop") {
  const Folder folder;
  script.call = "write";
  script.times = 1000;
  script.transfer = 0;
  CHECK(text_of_failed_save(folder.file(), false) ==
        folder.file().string() +
            ": cannot write the file: Input/output error. The disk or the network failed; see the "
            "system's log.");
}

TEST_CASE("durable means: write, synchronise the file, rename, synchronise the folder") {
  const Folder folder;
  script.tracing = true;
  save(folder.file(), true);
  script.tracing = false;
  const std::vector<std::string> expected = {"create",
                                             "fchmod",
                                             "fallocate 33554432",
                                             "write 0+16777216",
                                             "sync 0+16777216",
                                             "write 16777216+4194304",
                                             "write 20971520+1200",
                                             "ftruncate 20972720",
                                             "fsync",
                                             "close",
                                             "rename",
                                             "open folder",
                                             "fsync",
                                             "close"};
  CHECK(script.trace == expected);
}

TEST_CASE("without durable nothing waits for the disk and nothing is called needlessly") {
  const Folder folder;
  script.tracing = true;
  save(folder.file(), false, 20 * mib + 1200);
  CHECK(script.trace == std::vector<std::string>{"create", "fchmod", "fallocate 20972720",
                                                 "write 0+20971520", "write 20971520+1200", "close",
                                                 "rename"});
  script.trace.clear();
  {
    AtomicFile file(folder.file(), {.size_hint = 100, .durable = false});
    file.write(std::span(data()).first(100));
    file.commit();
  }
  CHECK(script.trace ==
        std::vector<std::string>{"create", "fchmod", "write 0+100", "close", "rename"});
}

TEST_CASE("whatever the pieces, calls are of 2 MiB at least and end on 2 MiB") {
  const Folder folder;
  script.tracing = true;
  {
    AtomicFile file(folder.file());
    file.write(std::span(data()).first(88));
    for (int piece = 0; piece < 7; ++piece) file.write(std::span(data()).first(mib - 1));
    for (int piece = 0; piece < 100'000; ++piece) file.write(std::span(data()).first(64));
    file.commit();
  }
  std::vector<std::string> expected = {"create", "fchmod"};
  const std::size_t size = 88 + 7 * (mib - 1) + 6'400'000;
  for (std::size_t offset = 0; offset < size; offset += 2 * mib) {
    const std::string length = std::to_string(std::min(2 * mib, size - offset));
    expected.push_back("fallocate " + length);  // Nobody said how large the file will be.
    expected.push_back("write " + std::to_string(offset) + "+" + length);
  }
  expected.insert(expected.end(), {"close", "rename"});
  CHECK(script.trace == expected);
}

TEST_CASE("what two threads compute is written in calls of 2 MiB that end on 2 MiB") {
  const Folder folder;
  static_cast<void>(available_processors());  // Files of the system say it, once.
  script.tracing = true;
  {
    AtomicFile file(folder.file());
    file.write(std::span(data()).first(4096));
    file.compute(two_threads_from + mib, 32, [](std::uint64_t, std::span<std::byte> room) {
      std::ranges::fill(room, std::byte{'x'});
    });
    file.commit();
  }
  std::vector<std::string> expected = {"close",  "create",       "fchmod",
                                       "rename", "write 0+4096", "write 4096+2093056"};
  for (std::size_t offset = 2 * mib; offset < two_threads_from; offset += 2 * mib)
    expected.push_back("write " + std::to_string(offset) + "+2097152");
  expected.push_back("write " + std::to_string(two_threads_from) + "+1052672");
  std::ranges::sort(expected);
  std::ranges::sort(script.trace);
  CHECK(script.trace == expected);
}

TEST_CASE("a disk that is full while two threads compute is an error with the first byte") {
  for (const bool in_parts : {false, true}) {
    CAPTURE(in_parts);
    const Folder folder;
    script.call = "write";
    script.skip = 3;
    script.times = 1000;
    script.error = ENOSPC;
    AtomicFile file(folder.file());
    const auto fill = [](const auto&, std::span<std::byte> room) {
      std::ranges::fill(room, std::byte{'x'});
    };
    try {
      if (in_parts) file.compute_matrix(16, two_threads_from / 16, 32, fill);
      else file.compute(two_threads_from, 32, fill);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::cannot_write);
      CHECK(error.problem() == "cannot write the file: No space left on device");
      REQUIRE(error.details().offset.has_value());
      // Three writes went well: pieces, of the first four or five that two threads had at the time,
      // or the first rows of a part.
      CHECK(*error.details().offset <= (in_parts ? 3 * two_threads_from / 16 + 2 * mib : 6 * mib));
    }
  }
}

TEST_CASE("a disk that is really full, here by the limit of file sizes, leaves the old file") {
  const Folder folder;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 10 * mib;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string text = text_of_failed_save(folder.file(), false);
  std::string unhinted;
  try {
    save(folder.file(), false, 0);
  } catch (const Error& error) {
    unhinted = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  const std::string advice =
      "File too large. Write smaller files (shards, or a recorder's segment_bytes), raise the "
      "limit "
      "(ulimit -f), or save to another file system.";
  CHECK(text == folder.file().string() + ": cannot reserve 33554432 bytes on the disk: " + advice);
  CHECK(unhinted == folder.file().string() + ": cannot write the file: " +
                        "File too large (byte 10485760)." + advice.substr(15));
  CHECK(folder.content() == "old");
  CHECK(folder.holds_only_the_file());
}

TEST_CASE("out of memory at any allocation is bad_alloc and leaves nothing behind") {
  const Folder folder;
  static_cast<void>(data());
  long failures = 0;
  for (bool done = false; !done; ++failures) {
    allocations_left = failures;
    try {
      save(folder.file());
      done = true;
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
    REQUIRE(folder.holds_only_the_file());
    REQUIRE(folder.content() == (done ? saved() : "old"));
  }
  CHECK(failures > 5);
}
