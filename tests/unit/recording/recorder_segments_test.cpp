/// \file
/// When a recorder begins another segment.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/folder.hpp"

namespace ss = safestructures;
using ss::test::Folder;

namespace {

/// The first eight bytes of a file: the size of its header.
std::uint64_t header_size(const std::filesystem::path& file) {
  std::ifstream bytes(file, std::ios::binary);
  std::uint64_t size = 0;
  for (unsigned shift = 0; shift < 64; shift += 8)
    size |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes.get())) << shift;
  return size;
}

}  // namespace

TEST_CASE("segments end where their data or their header are full") {
  const Folder folder;
  std::size_t count = 256;
  SUBCASE("data") {
    ss::ActivationRecorder recorder(folder / "run", {.segment_bytes = 4096});
    for (int i = 0; i < 40; ++i)
      recorder.record("x", std::vector<float>(256, static_cast<float>(i)));
    // Larger than a segment: it has one of its own.
    recorder.record("large", std::vector<float>(5000, 0));
    recorder.record("x", std::vector<float>(256, 40));
    recorder.close();
    CHECK(recorder.report().segments == 12);
  }
  SUBCASE("header") {
    count = 4097;  // None shares a tensor with others.
    ss::ActivationRecorder recorder(folder / "run", {.header_bytes = 1});
    for (int i = 0; i < 40; ++i)
      recorder.record("x", std::vector<float>(count, static_cast<float>(i)));
    recorder.record("large", ss::Value(std::string(100'000, '"')));
    recorder.record("x", std::vector<float>(count, 40));
    recorder.close();
    CHECK(recorder.report().segments >= 3);
  }
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 42);
  std::size_t call = 0;
  for (const ss::Record& record : run) {
    if (record.name() == "large") continue;
    CHECK(record.call() == call);
    CHECK(record.as<std::vector<float>>() == std::vector<float>(count, static_cast<float>(call)));
    ++call;
  }
  CHECK(run.is_closed());
  for (const std::string& name : Folder::names_in(folder / "run"))
    if (name != "recording.lock") CHECK_NOTHROW(ss::verify_file(folder / "run" / name));
}

TEST_CASE("segments are as many whether the recorder is flushed or not") {
  const Folder folder;
  std::map<bool, std::uint64_t> segments;
  for (const bool is_flushed : {false, true}) {
    // Values that take more room in the header than among the data.
    ss::ActivationRecorder recorder(folder / std::to_string(is_flushed),
                                    {.segment_bytes = 60'000, .header_bytes = 65'536});
    for (int i = 0; i < 20'000; ++i) {
      recorder.record("pair", std::pair(std::vector<float>(4, 1), std::vector<float>(4, 2)));
      if (is_flushed && i % 50 == 0) static_cast<void>(recorder.flush());
    }
    recorder.close();
    segments[is_flushed] = recorder.report().segments;
  }
  CAPTURE(segments[true]);
  CAPTURE(segments[false]);
  CHECK(segments[false] <= segments[true] + segments[true] / 2);
}

TEST_CASE("headers, which are in memory beside what waits, take at most 4 MiB") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  const std::vector parts(500, std::vector<float>(1, 1));
  for (int i = 0; i < 100; ++i) recorder.record("parts", parts);
  recorder.close();
  CHECK(recorder.report().segments > 3);
  std::uint64_t all = 0;
  for (const std::string& name : Folder::names_in(folder / "run")) {
    if (name == "recording.lock") continue;
    const std::uint64_t size = header_size(folder / "run" / name);
    CHECK(size <= std::uint64_t{4} << 20U);
    all += size;
  }
  // More than one of 16 MiB would be needed for.
  CHECK(all > std::uint64_t{8} << 20U);
}
