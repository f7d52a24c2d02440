/// \file
/// What opening a recording and taking one record of it reads.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;

constexpr std::size_t mib = std::size_t{1} << 20U;

/// A number behind a word in a file of this process below /proc.
std::size_t number_of(const char* file, const std::string& word) {
  std::ifstream in(std::string("/proc/self/") + file);
  for (std::string found; in >> found;)
    if (std::size_t number = 0; found == word && in >> number) return number;
  FAIL(word, " is not in /proc/self/", file);
  return 0;
}

/// Bytes that this process has read from files, and those of files that it has mapped and touched.
std::size_t bytes_taken() {
  return number_of("io", "rchar:") + 1024 * number_of("status", "RssFile:");
}

void record(const std::filesystem::path& folder, std::size_t count) {
  // Several segments.
  ss::ActivationRecorder recorder(folder, {.segment_bytes = 16 * mib});
  for (std::size_t i = 0; i < count; ++i)
    recorder.record("layer" + std::to_string(i),
                    std::vector<std::uint8_t>(mib, static_cast<std::uint8_t>(i)));
  recorder.close();
}

std::vector<std::uint8_t> layer_of(const ss::Recording& run, const char* name) {
  const ss::Record* const record = run.find(name, 0);
  REQUIRE(record != nullptr);
  return record->as<std::vector<std::uint8_t>>();
}

}  // namespace

TEST_CASE("opening a recording reads its headers, and a record its own bytes") {
  const ss::test::Folder folder;
  constexpr std::size_t count = 48;
  record(folder / "small", 1);
  record(folder / "run", count);
  // This program is a mapped file, too, whose pages come when they are needed first.
  REQUIRE(layer_of(ss::Recording(folder / "small"), "layer0").size() == mib);
  const std::size_t before = bytes_taken();
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == count);
  const std::size_t opened = bytes_taken();
  CHECK(opened - before < mib);
  CHECK(layer_of(run, "layer33") == std::vector<std::uint8_t>(mib, 33));
  const std::size_t taken = bytes_taken();
  CHECK(taken - opened >= mib);
  CHECK(taken - opened < 2 * mib);
}
