/// \file
/// Reading, mapping and memory, on the system as it is. What happens when the system fails is in
/// platform_faults_test.cpp.
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>

#include <doctest/doctest.h>

#include "platform/file.hpp"
#include "platform/mapping.hpp"
#include "platform/memory.hpp"
#include "platform/os.hpp"
#include "platform/parallel.hpp"
#include "support/platform_folder.hpp"

namespace fs = std::filesystem;
using namespace platform_test;
using namespace safestructures::platform;
using safestructures::ErrorCode;

// ---- Reading ----

TEST_CASE("a file is read from any position") {
  const Folder folder;
  put(folder / "f", "0123456789");
  const InputFile file(folder / "f");
  CHECK(file.size() == 10);
  CHECK(file.path() == folder / "f");
  std::array<char, 4> found{};
  file.read_at(3, std::as_writable_bytes(std::span(found)));
  CHECK(std::string(found.data(), 4) == "3456");
  CHECK_NOTHROW(file.read_at(10, {}));
}

TEST_CASE("a moved file reads on") {
  const Folder folder;
  put(folder / "f", "abc");
  InputFile first(folder / "f");
  const InputFile second(std::move(first));
  std::byte found{};
  second.read_at(2, {&found, 1});
  CHECK(found == std::byte{'c'});
}

TEST_CASE("a missing file is an error that names it and says what to check") {
  const Folder folder;
  const fs::path path = folder / "none";
  check_error([&] { InputFile file(path); }, ErrorCode::cannot_open,
              path.string() +
                  ": cannot open the file: No such file or directory. Check the path; relative "
                  "paths start at the current folder.");
}

TEST_CASE("anything but a regular file is refused at once") {
  const Folder folder;
  fs::create_directory(folder / "folder");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  struct Case {
    fs::path path;
    std::string rest;
  };
  const std::string copy = "Copy its contents into a file or into memory first.";
  for (const Case& one :
       {Case{folder / "folder", "a folder. Name a file inside it."},
        Case{folder / "pipe", "a pipe. " + copy}, Case{"/dev/null", "a device. " + copy}}) {
    check_error(
        [&] { InputFile file(one.path); }, ErrorCode::cannot_open,
        one.path.string() + ": cannot open the file: expected a regular file, found " + one.rest);
  }
}

TEST_CASE("reading past the end says where, how much and how much there was") {
  const Folder folder;
  put(folder / "f", "0123456789");
  const InputFile file(folder / "f");
  std::array<std::byte, 8> found{};
  const std::string start = (folder / "f").string() + ": the file ends too early: expected 8 bytes";
  const std::string end = ". It may have been cut short while it was copied or downloaded.";
  check_error([&] { file.read_at(6, found); }, ErrorCode::truncated,
              start + ", found 4 (byte 6)" + end);
  check_error([&] { file.read_at(1000, found); }, ErrorCode::truncated,
              start + ", found 0 (byte 1000)" + end);
  check_error([&] { file.read_at(UINT64_MAX, found); }, ErrorCode::truncated,
              start + ", found 0 (byte 18446744073709551615)" + end);
}

TEST_CASE("a file that is cut after it was opened is an error, not stale bytes") {
  const Folder folder;
  put(folder / "f", std::string(100, 'x'));
  const InputFile file(folder / "f");
  fs::resize_file(folder / "f", 50);
  std::array<std::byte, 100> found{};
  CHECK(error_of([&] { file.read_at(0, found); }).code() == ErrorCode::truncated);
}

TEST_CASE("reading on two threads gives the same bytes") {
  const Folder folder;
  const Bytes expected = pattern(two_threads_from + 5 * mib + 123);
  {
    AtomicFile file(folder / "f");
    file.write(expected);
    file.commit();
  }
  const InputFile file(folder / "f");
  Bytes found(expected.size() - 7);
  file.read_parallel(7, found);
  CHECK(std::memcmp(found.data(), expected.data() + 7, found.size()) == 0);
  Bytes more(expected.size() + 1);
  CHECK(error_of([&] { file.read_parallel(0, more); }).code() == ErrorCode::truncated);
}

// ---- Mapping ----

TEST_CASE("a file that is not in the page cache is read just the same") {
  const Folder folder;
  const Bytes expected = pattern(two_threads_from + 123);
  {
    AtomicFile file(folder / "f", {.size_hint = expected.size(), .durable = true});
    file.write(expected);
    file.commit();
  }
  const InputFile file(folder / "f");
  const auto descriptor = static_cast<int>(file.handle().native());
  REQUIRE(::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0);
  Bytes found(expected.size());
  file.read_parallel(0, found);
  CHECK(found == expected);
  CHECK(os::is_cached(file.handle(), 0));
  CHECK(os::is_cached(file.handle(), expected.size() - 1));
}

TEST_CASE("a mapping shows the file or any part of it") {
  const Folder folder;
  const Bytes expected = pattern(20 * kib);
  save(folder / "f", {reinterpret_cast<const char*>(expected.data()), expected.size()});
  const auto whole = map_whole(folder / "f");
  CHECK(std::ranges::equal(whole->bytes(), expected));
  const InputFile file(folder / "f");
  for (const std::size_t offset : {0U, 1U, 4095U, 4096U, 5000U, 20479U, 20480U}) {
    const auto part = Mapping::of(file, offset, expected.size() - offset);
    CHECK(std::ranges::equal(part->bytes(), std::span(expected).subspan(offset)));
  }
}

TEST_CASE("an empty file maps to nothing") {
  const Folder folder;
  put(folder / "f", "");
  CHECK(map_whole(folder / "f")->bytes().empty());
}

TEST_CASE("a range beyond the file is refused, where touching it would end the process") {
  const Folder folder;
  put(folder / "f", "0123456789");
  const InputFile file(folder / "f");
  check_error([&] { auto mapping = Mapping::of(file, 8, 3); }, ErrorCode::truncated,
              (folder / "f").string() +
                  ": the file ends too early: expected 3 bytes, found 2 (byte 8). It may have been "
                  "cut short while it was copied or downloaded.");
  CHECK(error_of([&] { auto mapping = Mapping::of(file, 11, 0); }).code() == ErrorCode::truncated);
  CHECK(error_of([&] { auto mapping = Mapping::of(file, UINT64_MAX, SIZE_MAX); }).code() ==
        ErrorCode::truncated);
}

TEST_CASE("a mapping keeps the old content when the file is replaced or deleted") {
  const Folder folder;
  save(folder / "f", "old");
  const auto mapping = map_whole(folder / "f");
  save(folder / "f", "new");
  CHECK(std::ranges::equal(mapping->bytes(), bytes_of("old")));
  fs::remove(folder / "f");
  CHECK(std::ranges::equal(mapping->bytes(), bytes_of("old")));
}

// ---- Memory ----

TEST_CASE("buffers are aligned for every vector instruction, and for huge pages that they fill") {
  struct Case {
    std::size_t size;
    std::size_t alignment;
  };
  for (const Case one : {Case{0, buffer_alignment},
                         {1, buffer_alignment},
                         {mib, buffer_alignment},
                         {mib + mib / 2, huge_page},
                         {huge_page - 1, huge_page},
                         {huge_page, huge_page},
                         {5 * mib, huge_page}}) {
    for (const auto make : {allocate_buffer, map_buffer}) {
      const std::size_t size = one.size;
      CAPTURE(size);
      const auto buffer = make(size);
      REQUIRE(buffer);
      CHECK(reinterpret_cast<std::uintptr_t>(buffer.get()) % one.alignment == 0);
      std::fill_n(buffer.get(), size, std::byte{1});
    }
  }
}

TEST_CASE("a mapped buffer returns to the system when it is freed, whatever else is in use") {
  for (const std::size_t size : {std::size_t{1}, mib, 2 * mib, 5 * mib}) {
    CAPTURE(size);
    std::array<std::shared_ptr<std::byte>, 5> buffers;
    for (auto& buffer : buffers) {
      buffer = map_buffer(size);
      std::fill_n(buffer.get(), size, std::byte{1});
    }
    const std::size_t page = os::page_size();
    const std::size_t pages = (size + page - 1) / page;
    std::vector<unsigned char> present(pages);
    std::byte* const middle = buffers[2].get();
    CHECK(::mincore(middle, pages * page, present.data()) == 0);
    buffers[2].reset();
    CHECK(::mincore(middle, page, present.data()) == -1);
    CHECK(errno == ENOMEM);
    CHECK(::mincore(middle + (pages - 1) * page, page, present.data()) == -1);
    for (const std::size_t left : {0U, 1U, 3U, 4U})
      CHECK(std::all_of(buffers[left].get(), buffers[left].get() + size,
                        [](std::byte one) { return one == std::byte{1}; }));
  }
}

TEST_CASE("buffers that share blocks are apart, and outlive who made them") {
  std::vector<std::pair<std::size_t, std::shared_ptr<std::byte>>> buffers;
  {
    SharedBlocks blocks;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, mib / 4, mib / 2, mib, mib / 2, 63 * mib / 64, mib / 64,
          std::size_t{1}, std::size_t{0}, 3 * mib, mib + mib / 2, mib, mib, std::size_t{65}}) {
      buffers.emplace_back(size, blocks.take(size));
      std::fill_n(buffers.back().second.get(), size, static_cast<std::byte>(buffers.size()));
    }
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto& [size, buffer] = buffers[i];
    REQUIRE(buffer);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.get()) % buffer_alignment == 0);
    CHECK(std::all_of(buffer.get(), buffer.get() + size,
                      [&](std::byte one) { return one == static_cast<std::byte>(i + 1); }));
  }
  // From half a megabyte on they lie in one block.
  CHECK(buffers[4].second.get() == buffers[3].second.get() + mib / 2);
}

TEST_CASE("preparing memory leaves its content alone") {
  Bytes bytes = pattern(two_threads_from + 3 * mib + 17);
  const Bytes expected = bytes;
  advise_huge(bytes.data() + 5, bytes.size() - 9);
  prefault(bytes.data() + 5, bytes.size() - 9);
  touch_pages(bytes.data() + 5, bytes.size() - 9);
  CHECK(bytes == expected);
  CHECK_NOTHROW(advise_huge(nullptr, 0));
  CHECK_NOTHROW(prefault(nullptr, 0));
  touch_pages(nullptr, 0);
}

TEST_CASE("pages that are touched are there, but those that are half another's") {
  constexpr std::size_t count = 8;
  const std::size_t page = os::page_size();
  void* const memory =
      ::mmap(nullptr, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* const bytes = static_cast<std::byte*>(memory);
  touch_pages(bytes + 1, count * page - 2);
  std::array<unsigned char, count> present{};
  REQUIRE(::mincore(memory, count * page, present.data()) == 0);
  // Linux before 5.14 cannot, nor can QEMU, which says that it did.
  std::array<unsigned char, count> with_first{};
  static_cast<void>(os::populate(memory, page));
  REQUIRE(::mincore(memory, count * page, with_first.data()) == 0);
  const bool can = (with_first[0] & 1) != 0;
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(i);
    CHECK((present[i] & 1) == (can && i != 0 && i != count - 1 ? 1 : 0));
  }
  ::munmap(memory, count * page);
}

TEST_CASE("copying gives the same bytes at every size") {
  const Bytes from = pattern(two_threads_from + 9 * mib + 1);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4097},
                                 two_threads_from - 1, two_threads_from, from.size()}) {
    Bytes to(size + 1, std::byte{0xEE});
    copy(to.data(), from.data(), size);
    CHECK(std::memcmp(to.data(), from.data(), size) == 0);
    CHECK(to.back() == std::byte{0xEE});
  }
}

TEST_CASE("pieces cover everything once, on one thread and on two") {
  for (const std::size_t total : {std::size_t{0}, std::size_t{1}, 5 * mib, two_threads_from + 1}) {
    std::atomic<std::size_t> covered{0};
    std::atomic<std::size_t> sum{0};
    in_pieces(total, mib, [&](std::size_t offset, std::size_t size, unsigned worker) {
      CHECK(offset % mib == 0);
      CHECK(worker < (total < two_threads_from ? 1 : 2));
      covered += size;
      sum += offset / mib + 1;
    });
    const std::size_t pieces = (total + mib - 1) / mib;
    CHECK(covered == total);
    CHECK(sum == pieces * (pieces + 1) / 2);
  }
}

TEST_CASE("an exception in any piece reaches the caller after all threads are done") {
  for (const std::size_t bad : {0U, 1U, 2U, 31U, 39U}) {
    CHECK_THROWS_WITH_AS(in_pieces(40 * mib, mib,
                                   [&](std::size_t offset, std::size_t, unsigned) {
                                     if (offset == bad * mib) throw std::runtime_error("piece");
                                   }),
                         "piece", std::runtime_error);
  }
}

TEST_CASE("of several exceptions it is that of the foremost piece, as on one thread") {
  for (int round = 0; round < 50; ++round)
    CHECK_THROWS_WITH_AS(in_pieces(40 * mib, mib,
                                   [&](std::size_t offset, std::size_t, unsigned) {
                                     // The foremost takes longest.
                                     if (offset == 7 * mib)
                                       std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                     if (offset >= 7 * mib)
                                       throw std::runtime_error(std::to_string(offset / mib));
                                   }),
                         "7", std::runtime_error);
}
