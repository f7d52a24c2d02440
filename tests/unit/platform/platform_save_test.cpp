/// \file
/// Files that appear whole or not at all, and the other sinks, on the system as it is. What happens
/// when the system fails is in platform_faults_test.cpp, where a file comes to be in
/// platform_save_path_test.cpp.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "platform/atomic_file.hpp"
#include "platform/parallel.hpp"
#include "platform/sink.hpp"
#include "support/platform_folder.hpp"

namespace fs = std::filesystem;
using namespace platform_test;
using namespace safestructures::platform;
using safestructures::ErrorCode;
using safestructures::Sink;

namespace {

/// Sanitized code without optimisation takes five minutes for this by iterators.
bool is_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

TEST_CASE("a file appears whole at its commit, and nothing else does") {
  const Folder folder;
  {
    AtomicFile file(folder / "model.safetensors");
    file.write(bytes_of("hello "));
    const std::vector<std::string> names = folder.names();
    REQUIRE(names.size() == 1);
    CHECK(names[0].size() == std::strlen(".model.safetensors.12345678.tmp"));
    CHECK(names[0].starts_with(".model.safetensors."));
    CHECK(names[0].ends_with(".tmp"));
    file.write(bytes_of("world"));
    CHECK(file.position() == 11);
    file.commit();
  }
  CHECK(folder.names() == std::vector<std::string>{"model.safetensors"});
  CHECK(get(folder / "model.safetensors") == "hello world");
}

TEST_CASE("without a commit nothing is left and the old file is as it was") {
  const Folder folder;
  put(folder / "f", "old");
  {
    AtomicFile file(folder / "f", {.size_hint = 10 * mib, .durable = true});
  }
  try {
    AtomicFile file(folder / "f");
    file.write(bytes_of("new"));
    file.flush();
    throw std::runtime_error("from a plugin");
  } catch (const std::runtime_error&) {
  }
  CHECK(folder.names() == std::vector<std::string>{"f"});
  CHECK(get(folder / "f") == "old");
}

TEST_CASE("any mix of pieces gives the same bytes in a file, a stream and memory") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const Folder folder;
  const Bytes source = pattern(9 * mib);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  const std::array<std::size_t, 8> bounds = {2, 100, 5000, 70'000, 300'000, 3 * mib, 8 * mib, mib};
  for (int round = 0; round < 40; ++round) {
    const std::array<std::uint64_t, 4> hints = {0, 1, below(40 * mib), 3 * mib};
    AtomicFile file(folder / "f", {.size_hint = hints[below(4)], .durable = round % 8 == 0});
    std::ostringstream stream;
    StreamSink stream_sink(stream);
    Bytes memory(3);
    VectorSink memory_sink(memory);
    Bytes expected;
    const std::array<Sink*, 3> sinks = {&file, &stream_sink, &memory_sink};
    for (std::size_t step = below(30); step > 0; --step) {
      const std::size_t size = below(bounds[below(bounds.size())]);
      const std::span bytes = std::span(source).subspan(below(source.size() - size), size);
      const std::size_t way = below(8);
      for (Sink* sink : sinks) {
        if (way < 4) {
          sink->write(bytes);
        } else if (way < 7) {
          for (std::span left = bytes; !left.empty();) {
            const std::size_t minimum = std::min<std::size_t>(8, left.size());
            const std::span<std::byte> room = sink->prepare(minimum, left.size());
            REQUIRE(room.size() >= minimum);
            REQUIRE(room.size() <= left.size());
            const std::size_t used = room.size() - room.size() % minimum;
            std::memcpy(room.data(), left.data(), used);
            sink->produced(used);
            left = left.subspan(used);
          }
        } else {
          sink->flush();
        }
      }
      if (way < 7) expected.insert(expected.end(), bytes.begin(), bytes.end());
      for (const Sink* sink : sinks) REQUIRE(sink->position() == expected.size());
    }
    file.commit();
    stream_sink.flush();
    const auto mapping = map_whole(folder / "f");
    REQUIRE(is_equal(mapping->bytes(), expected));
    REQUIRE(is_equal(bytes_of(stream.str()), expected));
    REQUIRE(is_equal(std::span(memory).subspan(3), expected));
  }
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("computed bytes are the same in every sink, whatever their number, place and unit") {
  const Folder folder;
  const Bytes source = pattern(two_threads_from + 5 * mib);
  const auto check = [&](std::size_t lead, std::size_t size, std::size_t unit, bool durable) {
    CAPTURE(lead);
    CAPTURE(size);
    CAPTURE(unit);
    AtomicFile file(folder / "f", {.size_hint = size, .durable = durable});
    std::ostringstream stream;
    StreamSink stream_sink(stream);
    Bytes memory;
    VectorSink memory_sink(memory);
    std::atomic<bool> are_pieces_good{true};
    for (Sink* sink : {static_cast<Sink*>(&file), static_cast<Sink*>(&stream_sink),
                       static_cast<Sink*>(&memory_sink)}) {
      sink->write(std::span(source).first(lead));
      sink->compute(size, unit, [&](std::uint64_t offset, std::span<std::byte> room) {
        const bool is_last = offset + room.size() == size;
        if (offset % unit != 0 || (room.size() % unit != 0 && !is_last)) are_pieces_good = false;
        std::memcpy(room.data(), source.data() + offset, room.size());
      });
      sink->write_copied(bytes_of("end"));
      REQUIRE(sink->position() == lead + size + 3);
      sink->flush();
    }
    file.commit();
    CHECK(are_pieces_good);
    const auto mapping = map_whole(folder / "f");
    const std::span<const std::byte> bytes = mapping->bytes();
    REQUIRE(bytes.size() == lead + size + 3);
    CHECK(is_equal(bytes.first(lead), std::span(source).first(lead)));
    CHECK(is_equal(bytes.subspan(lead, size), std::span(source).first(size)));
    CHECK(is_equal(bytes.last(3), bytes_of("end")));
    CHECK(is_equal(bytes_of(stream.str()), bytes));
    CHECK(is_equal(memory, bytes));
  };
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{5000}, 256 * 1024 + std::size_t{7}, 3 * mib})
    for (const std::size_t unit : {std::size_t{1}, std::size_t{6}, std::size_t{64}})
      for (const std::size_t lead : {std::size_t{0}, std::size_t{100}, 2 * mib - 3})
        check(lead, size, unit, false);
  check(0, two_threads_from, 32, false);
  check(4096, two_threads_from + mib, 32, false);
  check(2 * mib - 24, two_threads_from + 3 * mib + 11, 64, false);
  check(17, two_threads_from + 1, 64, false);
  check(17, two_threads_from + 1, 6, false);
  check(4096, two_threads_from + mib, 32, true);
}

TEST_CASE("when computing fails nothing is left, and the foremost failure is told") {
  const Folder folder;
  put(folder / "f", "old");
  for (int round = 0; round < 10; ++round) {
    AtomicFile file(folder / "f");
    CHECK_THROWS_WITH_AS(file.compute(two_threads_from + mib, 8,
                                      [](std::uint64_t offset, std::span<std::byte> room) {
                                        std::ranges::fill(room, std::byte{1});
                                        if (offset >= 6 * mib)
                                          throw std::runtime_error(std::to_string(offset / mib));
                                      }),
                         "6", std::runtime_error);
  }
  CHECK(folder.names() == std::vector<std::string>{"f"});
  CHECK(get(folder / "f") == "old");
}

TEST_CASE("room that was prepared and not used is not written") {
  const Folder folder;
  AtomicFile file(folder / "f");
  Bytes memory;
  VectorSink vector(memory);
  std::ostringstream text;
  StreamSink stream(text);
  for (Sink* sink :
       {static_cast<Sink*>(&file), static_cast<Sink*>(&vector), static_cast<Sink*>(&stream)}) {
    static_cast<void>(sink->prepare(10, 1000));
    sink->produced(0);
    static_cast<void>(sink->prepare(10, 1000));
    sink->write(bytes_of("x"));
    CHECK(sink->position() == 1);
    sink->flush();
  }
  file.commit();
  CHECK(get(folder / "f") == "x");
  CHECK(is_equal(memory, bytes_of("x")));
  CHECK(text.str() == "x");
}

TEST_CASE("a large piece is written from the caller's memory, a small one is copied") {
  const Folder folder;
  AtomicFile file(folder / "f");
  Bytes small(100, std::byte{1});
  Bytes large(100 * kib, std::byte{1});
  file.write(small);
  file.write(large);
  std::fill(small.begin(), small.end(), std::byte{2});
  std::fill(large.begin(), large.end(), std::byte{2});
  file.commit();
  const std::string found = get(folder / "f");
  CHECK(found[0] == 1);
  CHECK(found[100] == 2);
}

TEST_CASE("small pieces stay what they are when they need more room, behind others of any size") {
  const Folder folder;
  const Bytes large = pattern(100 * kib);
  for (const std::size_t size : {1UL, 4096UL, 8191UL, 8192UL, 8193UL, 50'000UL}) {
    CAPTURE(size);
    AtomicFile file(folder / "f", {.size_hint = 3 * mib});
    Bytes expected;
    const auto write = [&](std::span<const std::byte> bytes) {
      file.write(bytes);
      expected.insert(expected.end(), bytes.begin(), bytes.end());
    };
    for (int i = 0; i < 100; ++i) {
      if (i % 7 == 1) write(large);
      Bytes small(size, std::byte(i));
      write(small);
      std::fill(small.begin(), small.end(), std::byte{0xFF});
    }
    file.commit();
    CHECK(is_equal(map_whole(folder / "f")->bytes(), expected));
  }
}

TEST_CASE("bytes that were taken can be replaced in a file, and in no other sink") {
  const Folder folder;
  AtomicFile file(folder / "a");
  Bytes expected = pattern(3'000'000);
  file.write(std::span(expected).first(2'500'000));
  const std::string text = "other bytes";
  const std::span<const std::byte> other = bytes_of(text);
  CHECK(file.overwrite(7, other));
  CHECK(file.overwrite(0, {}));
  file.write(std::span(expected).subspan(2'500'000));
  CHECK(file.overwrite(expected.size() - other.size(), other));
  CHECK(file.position() == expected.size());
  file.commit();
  std::ranges::copy(other, expected.begin() + 7);
  std::ranges::copy(other, expected.end() - std::ssize(other));
  CHECK(is_equal(bytes_of(get(folder / "a")), expected));

  std::vector<std::byte> target;
  VectorSink memory(target);
  CHECK_FALSE(memory.overwrite(0, {}));
}

TEST_CASE("a file of unknown size keeps no more of the disk than it needs") {
  const Folder folder;
  const Bytes bytes = pattern(1'300'000);
  for (const std::uint64_t expected : {0U, 9'000'000U}) {
    AtomicFile file(folder / "a");
    file.write(bytes);
    file.flush();
    if (expected != 0) file.expect(expected);
    file.commit();
    struct stat status{};
    REQUIRE(::stat((folder / "a").c_str(), &status) == 0);
    CHECK(static_cast<std::size_t>(status.st_size) == bytes.size());
    CHECK(status.st_blocks * 512 < 1'500'000);
  }
}

TEST_CASE("a finished file refuses more") {
  const Folder folder;
  AtomicFile file(folder / "f");
  file.commit();
  const std::string text = (folder / "f").string() +
                           ": the file is already finished: expected no call after a commit or a "
                           "failure, found one. Write to a new file.";
  check_error([&] { file.commit(); }, ErrorCode::invalid_argument, text);
  check_error([&] { file.flush(); }, ErrorCode::invalid_argument, text);
  check_error([&] { file.write(bytes_of("x")); }, ErrorCode::invalid_argument, text);
  check_error([&] { file.write(Bytes(mib)); }, ErrorCode::invalid_argument, text);
}

TEST_CASE("two savers of one name do not disturb each other: the last commit stays") {
  const Folder folder;
  AtomicFile first(folder / "f");
  AtomicFile second(folder / "f");
  first.write(bytes_of("first"));
  second.write(bytes_of("second"));
  second.commit();
  first.commit();
  CHECK(get(folder / "f") == "first");
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("flushing a sink flushes its stream, whose failure to do so is an error") {
  struct Buffer : std::stringbuf {
    int sync() override {
      ++syncs;
      return result;
    }
    int syncs = 0;
    int result = 0;
  };
  Buffer buffer;
  std::ostream stream(&buffer);
  StreamSink sink(stream);
  sink.write(bytes_of("abc"));
  CHECK(buffer.syncs == 0);
  sink.flush();
  CHECK(buffer.syncs == 1);
  CHECK(buffer.str() == "abc");
  buffer.result = -1;
  check_error([&] { sink.flush(); }, ErrorCode::cannot_write,
              "the output stream failed (byte 3). Check that the stream is open and that its "
              "device has room.");
}

TEST_CASE("a stream that fails is an error with the byte it happened at") {
  std::ostringstream stream;
  StreamSink sink(stream);
  sink.write(bytes_of("abc"));
  stream.setstate(std::ios::badbit);
  check_error([&] { sink.flush(); }, ErrorCode::cannot_write,
              "the output stream failed (byte 3). Check that the stream is open and that its "
              "device has room.");
}
