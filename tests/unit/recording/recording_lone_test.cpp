/// \file
/// A segment that is not sealed and of which one file is missing or cut: who reads it is told, and
/// who recovers it, also of those beside it.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>

#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::error_of;
using ss::test::Folder;
using Lines = std::vector<std::string>;

constexpr std::size_t records = 6;

/// The folder of a recorder that died after six records.
void leave_unsealed(const Folder& folder, const fs::path& run) {
  ss::ActivationRecorder recorder(folder / "live", {.header_bytes = 32768});
  for (std::size_t i = 0; i < records; ++i)
    recorder.record("x", std::vector<double>(100, static_cast<double>(i)));
  recorder.flush();
  fs::copy(folder / "live", run);
}

}  // namespace

TEST_CASE("missing parts of an unsealed segment are reported, but not those of a live one") {
  struct Case {
    std::string what;
    std::function<void(const fs::path& part, const fs::path& journal)> damage;
    std::size_t left;
    std::string problem;  // Behind the folder.
  };
  const std::vector<Case> cases = {
      {"nothing", [](const fs::path&, const fs::path&) {}, records, ""},
      {"no data", [](const fs::path& part, const fs::path&) { fs::remove(part); }, 0,
       "segment-000001.part is missing, although its journal lists records in it"},
      {"empty data", [](const fs::path& part, const fs::path&) { fs::resize_file(part, 0); }, 0,
       "segment-000001.part ends before data that its journal lists: 'safestructures "
       "recover' says how many records are lost"},
      {"cut data",
       [](const fs::path& part, const fs::path&) { fs::resize_file(part, 32768 + 1700); }, 2,
       "segment-000001.part ends before data that its journal lists: 'safestructures "
       "recover' says how many records are lost"},
      {"no journal", [](const fs::path&, const fs::path& journal) { fs::remove(journal); }, 0,
       "segment-000001.part: there is no journal that says what is in it"},
      {"an empty journal",
       [](const fs::path&, const fs::path& journal) { fs::resize_file(journal, 0); }, 0,
       "segment-000001.journal ends within its first bytes, so it is unknown what is in "},
      {"a recorder that begins",
       [](const fs::path& part, const fs::path& journal) {
         fs::remove(part);
         fs::resize_file(journal, 40);
       },
       0, ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const Folder folder;
    const fs::path run = folder / "run";
    leave_unsealed(folder, run);
    one.damage(run / "segment-000001.part", run / "segment-000001.journal");
    ss::Recording recording(run);
    recording.refresh();
    CHECK(recording.size() == one.left);
    if (one.problem.empty()) {
      CHECK(recording.problems() == Lines());
      continue;
    }
    REQUIRE(recording.problems().size() == 1);
    CHECK(recording.problems()[0].starts_with((run / one.problem).string()));
  }
}

TEST_CASE("a journal that is none, or that of another segment, is named") {
  const Folder folder;
  const fs::path run = folder / "run";
  leave_unsealed(folder, run);
  const auto file = [&](const char* name) { return run / name; };
  for (const char* kind : {".part", ".journal"})
    fs::rename(run / (std::string("segment-000001") + kind),
               run / (std::string("segment-000002") + kind));
  const ss::Recording recording(run);
  CHECK(recording.size() == records);
  CHECK(recording.problems() ==
        Lines{"segment 1 is missing",
              "segment-000002.journal says that it is segment 1 of its recording"});
  std::ofstream(file("segment-000002.journal"), std::ios::binary) << std::string(99, 'x');
  CHECK(error_of([&] { return ss::Recording(run); }) ==
        "damaged: " + file("segment-000002.journal").string() +
            ": the file is not the journal of a recording, or it is damaged: expected the first "
            "bytes of a journal and their checksum.");
}

TEST_CASE("data that cannot be read cost their own segment, and not those behind it") {
  struct Case {
    std::function<void(const fs::path& part)> damage;
    std::string loss;
  };
  const std::vector<Case> cases = {
      {[](const fs::path& part) { ::mkfifo(part.c_str(), 0600); },
       "segment-000001.part: the data cannot be read: "},
      {[](const fs::path& part) { fs::create_symlink("../other", part); },
       "segment-000001.part: the data cannot be read: the file is a link."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.loss);
    const Folder folder;
    const fs::path run = folder / "run";
    leave_unsealed(folder, run);
    for (const std::string kind : {".part", ".journal"})
      fs::copy(run / ("segment-000001" + kind), run / ("segment-000002" + kind));
    fs::rename(run / "segment-000001.part", folder / "other");
    const auto size = fs::file_size(folder / "other");
    one.damage(run / "segment-000001.part");
    const ss::RecoveryReport report = ss::recover_recording(run);
    REQUIRE(!report.losses.empty());
    CAPTURE(report.losses[0]);
    CHECK(report.losses[0].starts_with(one.loss));
    CHECK(report.lost == records);
    CHECK(report.recovered == records);
    CHECK(fs::exists(run / "segment-000002.safetensors"));
    // Nothing is written through a link.
    CHECK(fs::file_size(folder / "other") == size);
    CHECK(fs::exists(run / "segment-000001.journal"));
  }
}

TEST_CASE("beside a segment that cannot be recovered, what is wrong with sealed ones is a loss") {
  struct Case {
    std::string what;
    std::function<void(const fs::path& segment)> damage;
    std::string loss;
  };
  const std::vector<Case> cases = {
      {"data without a journal",
       [](fs::path segment) {
         fs::remove(segment);
         std::ofstream(segment.replace_extension("part")) << "nobody knows";
       },
       "segment-000001.part: there is no journal that says what is in it"},
      {"a cut file with a journal",
       [](fs::path segment) {
         fs::resize_file(segment, 4);
         std::ofstream(segment.replace_extension("journal")) << "may tell";
       },
       "segment-000001.safetensors: the file is too short for a safetensors file: expected at "
       "least 8 bytes, found 4. Check that this is a safetensors file. segment-000001.journal may "
       "have its records: rename this file to segment-000001.part, and recover again"}};
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const Folder folder;
    const fs::path run = folder / "run";
    {
      ss::ActivationRecorder recorder(run, {.segment_bytes = 256});
      for (int i = 0; i < 10; ++i) recorder.record("x", std::vector<double>(16, i));
    }
    const auto file = [&](int number) {
      return run / ("segment-00000" + std::to_string(number) + ".safetensors");
    };
    one.damage(file(1));
    fs::copy_file(file(2), file(3), fs::copy_options::overwrite_existing);
    std::uint64_t header = 0;
    std::ifstream(file(4), std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof(header));
    fs::resize_file(file(4), 100);
    fs::copy_file(file(5), file(6));

    const ss::RecoveryReport report = ss::recover_recording(run);
    CHECK(report.sealed == 4);
    REQUIRE(report.losses.size() == 5);
    CHECK(report.losses[0].ends_with(one.loss));
    CHECK(report.losses[1] ==
          "segment-000003.safetensors says that it is segment 2 of its recording");
    CHECK(
        report.losses[2] ==
        "segment-000003.safetensors has 2 records that are no later than those of segments before "
        "it: not read");
    CHECK(report.losses[3] ==
          file(4).string() + ": the file ends inside its header: expected " +
              std::to_string(header) +
              " bytes of header, found 92. The file is not complete: copy or download it again.");
    CHECK(
        report.losses[4] ==
        "segment-000006.safetensors comes after segment 5, which closed the recording, and was not "
        "read");
  }
}
