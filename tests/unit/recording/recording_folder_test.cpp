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
#include <safestructures/tools/verify.hpp>

#include "recording/segments/files.hpp"
#include "recording/segments/segment_header.hpp"
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

TEST_CASE("missing segments are reported together, whatever their numbers are") {
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
  CHECK(ss::Recording(run).problems() ==
        Lines{"segments 2 to 281474976710655 are missing",
              "segment-281474976710656.safetensors says that it is segment 4 of its recording"});
}

TEST_CASE("a segment that replaces another or follows the last is reported") {
  struct Case {
    std::string name;
    void (*change)(const fs::path& run, const fs::path& other);
    std::string sequences;  // Of the records that are read.
    Lines problems;
  };
  constexpr auto over = fs::copy_options::overwrite_existing;
  const std::vector<Case> cases = {
      {"a copy over the next",
       [](const fs::path& run, const fs::path&) {
         fs::copy_file(segment(run, 1), segment(run, 2), over);
       },
       "0 2 3 ",
       {"segment-000002.safetensors says that it is segment 1 of its recording",
        "segment-000002.safetensors has 1 record that is no later than those of segments before "
        "it: not read"}},
      {"two that are swapped",
       [](const fs::path& run, const fs::path&) {
         fs::rename(segment(run, 2), run / "kept");
         fs::rename(segment(run, 3), segment(run, 2));
         fs::rename(run / "kept", segment(run, 3));
       },
       "0 2 3 ",
       {"segment-000002.safetensors says that it is segment 3 of its recording",
        "segment-000003.safetensors says that it is segment 2 of its recording",
        "segment-000003.safetensors has 1 record that is no later than those of segments before "
        "it: not read"}},
      {"the last over another",
       [](const fs::path& run, const fs::path&) {
         fs::copy_file(segment(run, 4), segment(run, 2), over);
       },
       "0 3 ",
       {"segment-000002.safetensors says that it is segment 4 of its recording",
        "segment-000003.safetensors has 1 record that is no later than those of segments before "
        "it: not read",
        "segment-000004.safetensors has 1 record that is no later than those of segments before "
        "it: not read"}},
      {"renumbered behind one that was removed",
       [](const fs::path& run, const fs::path&) {
         for (std::uint64_t number = 2; number < 4; ++number)
           fs::rename(segment(run, number + 1), segment(run, number));
       },
       "0 2 3 ",
       {"segment-000002.safetensors says that it is segment 3 of its recording",
        "segment-000003.safetensors says that it is segment 4 of its recording"}},
      {"another run's over one",
       [](const fs::path& run, const fs::path& other) {
         fs::copy_file(segment(other, 2), segment(run, 2), over);
       },
       "0 1 2 3 ",
       {"segment-000002.safetensors is of another recording than segment-000001.safetensors"}},
      {"another run's last over one",
       [](const fs::path& run, const fs::path& other) {
         fs::copy_file(segment(other, 4), segment(run, 2), over);
       },
       "0 3 ",
       {"segment-000002.safetensors says that it is segment 4 of its recording",
        "segment-000002.safetensors is of another recording than segment-000001.safetensors",
        "segment-000003.safetensors has 1 record that is no later than those of segments before "
        "it: not read",
        "segment-000004.safetensors has 1 record that is no later than those of segments before "
        "it: not read"}},
      {"a copy behind the last",
       [](const fs::path& run, const fs::path&) {
         fs::copy_file(segment(run, 4), segment(run, 5));
       },
       "0 1 2 3 ",
       {"segment-000005.safetensors comes after segment 4, which closed the recording, and was not "
        "read"}},
      {"a file behind the last that is none",
       [](const fs::path& run, const fs::path&) { std::ofstream(segment(run, 5)) << "none"; },
       "0 1 2 3 ",
       {"segment-000005.safetensors comes after segment 4, which closed the recording, and was not "
        "read"}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Folder folder;
    const fs::path run = folder / "run";
    record(run, 4);
    record(folder / "other", 4);
    one.change(run, folder / "other");
    const ss::Recording read(run);
    std::string sequences;
    for (const ss::Record& found : read) sequences += std::to_string(found.sequence()) + " ";
    CHECK(sequences == one.sequences);
    CHECK(read.problems() == one.problems);
    // Sealing adds nothing to it, and says the same.
    const ss::RecoveryReport report = ss::recover_recording(run);
    CHECK(report.losses == one.problems);
    CHECK(report.notes == Lines());
  }
}

namespace {

/// A sealed segment without records.
void write_empty(const fs::path& file, const std::string& about, std::uint64_t room) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      << ss::recording::SegmentHeader().front(about, room, room != 0).text();
}

}  // namespace

TEST_CASE("a recording that was closed without a record is one that was closed") {
  for (const std::uint64_t room : {0U, 32768U}) {
    CAPTURE(room);
    const Folder folder;
    const fs::path run = folder / "run";
    const std::string about =
        R"({"version": 2, "segment": 1, "closed": true, "counts": {"calls": 3, "filtered": 3}, )"
        R"("left_out": {"x": {"calls": 3, "filtered": 3}}})";
    write_empty(segment(run, 1), about, room);
    CHECK(ss::verify_file(segment(run, 1)).has_checksums == (room != 0));
    for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
      ss::Recording read(run, {.access = access});
      CHECK(read.empty());
      CHECK(read.is_closed());
      CHECK(read.refresh() == 0);
      CHECK(read.about() == about);
      CHECK(read.problems() == Lines());
      CHECK(read.names().empty());
      CHECK(read.steps().empty());
      CHECK(read.find("x", 0) == nullptr);
      CHECK(read.notes() ==
            Lines{"the recorder left out or thinned records: x: 3 filtered of 3 calls"});
    }
    CHECK(ss::recover_recording(run).is_clean());
  }
}

TEST_CASE("a reader follows a recording to a last segment without records") {
  const Folder folder;
  const fs::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(folder / "live");
    recorder.record("x", 1);
    recorder.flush();
    fs::copy(folder / "live", run);
  }
  ss::Recording read(run);
  CHECK(read.size() == 1);
  CHECK_FALSE(read.is_closed());
  static_cast<void>(ss::recover_recording(run));
  write_empty(segment(run, 2), R"({"version": 2, "segment": 2, "closed": true})", 4096);
  CHECK(read.refresh() == 0);
  CHECK(read.is_closed());
  CHECK(read.problems() == Lines());
}

TEST_CASE("a closed recording with fewer records than its recorder kept is reported") {
  const Folder folder;
  const fs::path run = folder / "run";
  write_empty(segment(run, 1),
              R"({"version": 2, "segment": 1, "closed": true, "counts": {"calls": 3, "kept": 2}})",
              4096);
  const Lines told = {"the recorder kept 2 records, of which 0 are here"};
  CHECK(ss::Recording(run).problems() == told);
  CHECK(ss::recover_recording(run).losses == told);
}

TEST_CASE("a segment of another run is reported, as far as both say which they are") {
  const std::string of_a = R"({"version": 2, "segment": 1, "closed": false, "run": "a"})";
  const std::string of_b = R"({"version": 2, "segment": 2, "closed": true, "run": "b"})";
  const std::string of_none = R"({"version": 2, "segment": 2, "closed": true})";
  const Folder folder;
  const fs::path run = folder / "run";
  write_empty(segment(run, 1), of_a, 4096);
  write_empty(segment(run, 2), of_none, 4096);
  CHECK(ss::Recording(run).problems() == Lines());
  CHECK(ss::Recording(run).is_closed());
  write_empty(segment(run, 2), of_b, 4096);
  CHECK(
      ss::Recording(run).problems() ==
      Lines{"segment-000002.safetensors is of another recording than segment-000001.safetensors"});
  // What another one's recorder did says nothing of this.
  CHECK_FALSE(ss::Recording(run).is_closed());
}

TEST_CASE("a recorder stays with its folder where the program goes into another") {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::create_directory(folder / "other");
  fs::current_path(folder / "");
  {
    ss::ActivationRecorder recorder("run", {.segment_bytes = 1});
    recorder.record("x", std::vector<int>(4, 1));
    recorder.flush();
    fs::current_path(folder / "other");
    recorder.record("x", std::vector<int>(4, 2));
    recorder.close();
  }
  fs::current_path(before);
  CHECK(ss::Recording(folder / "run").size() == 2);
  CHECK(fs::is_empty(folder / "other"));
}
