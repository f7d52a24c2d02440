/// \file
/// What opening a recording and taking one record of it reads.
#include <cstddef>
#include <cstdint>
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

}  // namespace

TEST_CASE("opening a recording reads its headers, and a record its own bytes") {
  const ss::test::Folder folder;
  constexpr std::size_t count = 48;
  {
    // Several segments.
    ss::ActivationRecorder recorder(folder / "run", {.segment_bytes = 16 * mib});
    for (std::size_t i = 0; i < count; ++i)
      recorder.record("layer" + std::to_string(i),
                      std::vector<std::uint8_t>(mib, static_cast<std::uint8_t>(i)));
    recorder.close();
  }
  const std::size_t before = bytes_taken();
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == count);
  const std::size_t opened = bytes_taken();
  CHECK(opened - before < mib / 2);
  const ss::Record* const record = run.find("layer33", 0);
  REQUIRE(record != nullptr);
  const auto values = record->as<std::vector<std::uint8_t>>();
  CHECK(values == std::vector<std::uint8_t>(mib, 33));
  CHECK(bytes_taken() - opened < 3 * mib / 2);
  CHECK(bytes_taken() - opened >= mib);
}
