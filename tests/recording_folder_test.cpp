/// \file
/// What the files of a recording's folder say together: none is missing, none stands for another.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>

#include "recording/files.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::Folder;
using Lines = std::vector<std::string>;

/// A recording of so many segments with a record each, 0 to n - 1.
void record(const fs::path& run, int segments) {
  ss::ActivationRecorder recorder(run, {.segment_bytes = 1, .header_bytes = 4096});
  for (int i = 0; i < segments; ++i) {
    recorder.step(i);
    recorder.record("x", std::vector<int>(4, i));
  }
  recorder.close();
}

fs::path segment(const fs::path& run, std::uint64_t number) {
  return ss::recording::sealed_file(run, number);
}

}  // namespace

TEST_CASE("what was sealed while a folder was listed is found by a second look") {
  const Folder folder;
  for (const std::uint64_t number : {1U, 2U, 4U, 5U, 7U})
    std::ofstream(segment(folder / "", number)) << 'x';
  // As if 2 had been renamed between two calls, 4 after it was seen, and 1 before there was 5.
  std::map<std::uint64_t, ss::recording::SegmentFiles> seen;
  seen[4].part = true;
  seen[5].sealed = true;
  seen[6].journal = true;
  ss::recording::look_again(folder / "", seen);
  std::string sealed;
  for (const auto& [number, files] : seen)
    sealed += std::to_string(number) + (files.sealed ? "+ " : "- ");
  // Of 7 nothing is known yet: it is found by the next look.
  CHECK(sealed == "1+ 2+ 4+ 5+ 6- ");
}

TEST_CASE("segments that are missing are told of together, whatever their numbers are") {
  const Folder folder;
  const fs::path run = folder / "run";
  record(run, 4);
  fs::remove(segment(run, 2));
  CHECK(ss::Recording(run).problems() == Lines{"segment 2 is missing"});
  fs::remove(segment(run, 3));
  CHECK(ss::Recording(run).problems() == Lines{"segments 2 to 3 are missing"});
  CHECK(ss::recover_recording(run).losses == Lines{"segments 2 to 3 are missing"});
  // Names that no recorder gives, and that nobody could count on from.
  for (const char* const name :
       {"segment-000000.safetensors", "segment-18446744073709551615.safetensors"})
    fs::copy_file(segment(run, 1), run / name);
  CHECK(ss::Recording(run).problems() == Lines{"segments 2 to 3 are missing"});
  fs::rename(segment(run, 4), run / "segment-281474976710656.safetensors");
  CHECK(ss::Recording(run).problems() == Lines{"segments 2 to 281474976710655 are missing"});
}
