/// \file
/// Verifying a recording: all that is wrong with its segments and their order is in the report.
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
#include <safestructures/recording/verify_recording.hpp>

#include "recording/segments/files.hpp"
#include "recording/segments/segment_header.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::Folder;
using Lines = std::vector<std::string>;

fs::path segment(const fs::path& run, std::uint64_t number) {
  return ss::recording::sealed_file(run, number);
}

/// Records four segments with a record of 16 bytes each.
void record(const fs::path& run) {
  ss::ActivationRecorder recorder(run, {.segment_bytes = 1, .header_bytes = 4096});
  for (int i = 0; i < 4; ++i) recorder.record("x", std::vector<int>(4, i));
  recorder.close();
}

void damage_last_byte(const fs::path& file) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(-1, std::ios::end);
  const int byte = stream.get();
  stream.seekp(-1, std::ios::end);
  stream.put(static_cast<char>(byte ^ 1));
}

/// Writes a sealed segment without records.
void write_empty(const fs::path& file, const std::string& about) {
  std::ofstream(file, std::ios::binary)
      << ss::recording::SegmentHeader().front(about, 4096, false).text();
}

}  // namespace

TEST_CASE("verifying a recording reports everything that is wrong with it") {
  struct Case {
    std::string name;
    void (*change)(const fs::path& run);
    std::size_t records;
    std::size_t sealed;
    std::size_t unsealed;
    bool has_checksums;
    bool is_closed;
    Lines problems;  // The starts of the lines, behind the path of the recording.
  };
  const std::vector<Case> cases = {
      {"nothing", [](const fs::path&) {}, 4, 4, 0, true, true, {}},
      {"two damaged segments, and one that is missing",
       [](const fs::path& run) {
         damage_last_byte(segment(run, 1));
         fs::remove(segment(run, 2));
         damage_last_byte(segment(run, 3));
       },
       0,
       3,
       0,
       false,
       false,
       {"/segment-000001.safetensors: at 00000000:x: the bytes of a tensor are not those that were "
        "saved",
        "/segment-000003.safetensors: at 00000002:x: the bytes of a tensor are not those that were "
        "saved"}},
      {"a cut segment",
       [](const fs::path& run) { fs::resize_file(segment(run, 2), 100); },
       0,
       4,
       0,
       false,
       false,
       {"/segment-000002.safetensors: "}},
      {"a folder in place of a segment",
       [](const fs::path& run) {
         fs::remove(segment(run, 4));
         fs::create_directory(segment(run, 4));
       },
       0,
       4,
       0,
       false,
       false,
       {"/segment-000004.safetensors: "}},
      {"two that are missing",
       [](const fs::path& run) {
         fs::remove(segment(run, 2));
         fs::remove(segment(run, 3));
       },
       2,
       2,
       0,
       true,
       true,
       {": segments 2 to 3 are missing"}},
      {"a copy over another",
       [](const fs::path& run) {
         fs::copy_file(segment(run, 1), segment(run, 2), fs::copy_options::overwrite_existing);
       },
       3,
       4,
       0,
       true,
       true,
       {": segment-000002.safetensors says that it is segment 1 of its recording",
        ": segment-000002.safetensors has 1 record that is no later than those of segments before "
        "it: not read"}},
      {"files of every kind behind the last",
       [](const fs::path& run) {
         fs::copy_file(segment(run, 4), segment(run, 5));
         fs::copy_file(segment(run, 4), segment(run, 7));
         std::ofstream(run / "segment-000008.part") << "x";
         std::ofstream(run / "segment-000009.journal") << "x";
       },
       4,
       6,
       2,
       true,
       true,
       {": segment-000005.safetensors comes after segment 4, which closed the recording, and was "
        "not read",
        ": segment-000007.safetensors comes after segment 4, which closed the recording, and was "
        "not read",
        ": segment-000008.part comes after segment 4, which closed the recording, and was not read",
        ": segment-000009.journal comes after segment 4, which closed the recording, and was not "
        "read"}},
      {"a segment of another layout",
       [](const fs::path& run) {
         write_empty(segment(run, 2), R"({"version": 3, "segment": 2, "closed": false})");
       },
       0,
       4,
       0,
       false,
       false,
       {"/segment-000002.safetensors: the segment of a recording has an unknown layout"}},
      {"no last segment",
       [](const fs::path& run) { fs::remove(segment(run, 4)); },
       3,
       3,
       0,
       true,
       false,
       {}},
      {"an unsealed one without its journal",
       [](const fs::path& run) {
         fs::remove(segment(run, 4));
         std::ofstream(run / "segment-000004.part") << "x";
       },
       3,
       3,
       1,
       true,
       false,
       {": {}/segment-000004.part: there is no journal that says what is in it"}},
      {"no segment",
       [](const fs::path& run) {
         for (std::uint64_t number = 1; number <= 4; ++number) fs::remove(segment(run, number));
       },
       0,
       0,
       0,
       false,
       false,
       {}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Folder folder;
    const fs::path run = folder / "run";
    record(run);
    one.change(run);
    CHECK(ss::is_recording(run));
    const Lines before = Folder::names_in(run);
    const ss::VerifyRecordingReport report = ss::verify_recording(run);
    CHECK(Folder::names_in(run) == before);
    CHECK(report.records == one.records);
    CHECK(report.sealed == one.sealed);
    CHECK(report.unsealed == one.unsealed);
    CHECK(report.has_checksums == one.has_checksums);
    CHECK(report.is_closed == one.is_closed);
    CHECK(report.is_fine() == one.problems.empty());
    REQUIRE(report.problems.size() == one.problems.size());
    for (std::size_t i = 0; i < one.problems.size(); ++i) {
      std::string expected = run.string() + one.problems[i];
      if (const std::size_t at = expected.find("{}"); at != std::string::npos)
        expected.replace(at, 2, run.string());
      CHECK(report.problems[i].substr(0, expected.size()) == expected);
    }
  }
}

TEST_CASE("verifying a recording tells how far each of its segments is") {
  const Folder folder;
  record(folder / "run");
  std::uint64_t bytes = 0;
  std::string told;
  std::uint64_t left = 0;
  const auto tell = [&](const fs::path& file, std::uint64_t more, std::uint64_t all) {
    if (left == 0) {
      told += file.filename().string().substr(8, 6) + " ";
      left = all;
    }
    left -= more;
    bytes += more;
  };
  const ss::VerifyRecordingReport report = ss::verify_recording(folder / "run", {.progress = tell});
  CHECK(told == "000001 000002 000003 000004 ");
  CHECK(left == 0);
  CHECK(bytes == report.bytes);
  CHECK(bytes >= 4 * 16);
}

TEST_CASE("a flipped bit anywhere in a sealed segment is a problem") {
  const Folder folder;
  const fs::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(run);
    for (int i = 0; i < 2; ++i) recorder.record("x", std::vector<int>(4, i));
    recorder.record("loss", 0.5);
  }
  REQUIRE(ss::verify_recording(run).is_fine());
  std::fstream file(segment(run, 1), std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<int>(fs::file_size(segment(run, 1)));
  for (int at = 0; at < size; ++at) {
    file.seekg(at);
    const int byte = file.get();
    // The second makes a capital letter of a small one, and a key of the metadata another.
    for (const int bit : {1, 32}) {
      file.seekp(at).put(static_cast<char>(byte ^ bit)).flush();
      const bool is_found = !ss::verify_recording(run).is_fine();
      if (!is_found) FAIL_CHECK("byte " << at << ", " << bit);
    }
    file.seekp(at).put(static_cast<char>(byte)).flush();
  }
  CHECK(ss::verify_recording(run).is_fine());
}

TEST_CASE("a limit that a segment exceeds is a problem of that segment") {
  const Folder folder;
  const fs::path run = folder / "run";
  record(run);
  const ss::VerifyRecordingReport report =
      ss::verify_recording(run, {.limits = {.header_bytes = 100}});
  REQUIRE(report.problems.size() == 4);
  for (std::uint64_t number = 1; number <= 4; ++number)
    CHECK(report.problems[number - 1].starts_with(segment(run, number).string() + ": "));
}

TEST_CASE("a folder is a recording if it has segments or the lock of a recorder") {
  const Folder folder;
  const fs::path path = folder / "path";
  struct Case {
    std::string file;
    bool is_recording;
  };
  CHECK_FALSE(ss::is_recording(path));
  for (const Case& one : std::vector<Case>{{"segment-000001.safetensors", true},
                                           {"segment-000002.part", true},
                                           {"segment-000003.journal", true},
                                           {"recording.lock", true},
                                           {"model.safetensors", false},
                                           {"segment-7.part", false},
                                           {"segment-000000.part", false}}) {
    CAPTURE(one.file);
    fs::create_directory(path);
    CHECK_FALSE(ss::is_recording(path));
    std::ofstream(path / one.file) << "x";
    CHECK(ss::is_recording(path) == one.is_recording);
    CHECK_FALSE(ss::is_recording(path / one.file));
    if (!one.is_recording)
      CHECK(ss::test::error_of([&] { return ss::verify_recording(path); }) ==
            "cannot_open: " + path.string() +
                ": the folder is not a recording: expected segment-000001.safetensors or "
                "recording.lock, found neither. Name the folder that the recorder was given.");
    fs::remove_all(path);
  }
}

TEST_CASE("the notes of a recording say what is or may be missing, or was left out") {
  const Folder folder;
  const fs::path run = folder / "run";
  record(run);
  CHECK(ss::Recording(run).notes() == Lines());
  fs::remove(segment(run, 4));
  fs::remove(segment(run, 2));
  write_empty(segment(run, 4),
              R"({"version": 2, "segment": 4, "counts": {"kept": 3, "failed": 1}})");
  CHECK(ss::Recording(run).notes() ==
        Lines{"segment 2 is missing", "the recording was not closed, so records may be missing",
              "the recorder left out or thinned records: 1 failed"});
}
