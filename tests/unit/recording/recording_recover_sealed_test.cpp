/// \file
/// Sealed files that cannot be read: what is beside them may be all there is of their records.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/save.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::Folder;
using Lines = std::vector<std::string>;

constexpr int records = 6;

/// The folder of a recorder that died after six records.
void leave_unsealed(const Folder& folder, const fs::path& run) {
  ss::ActivationRecorder recorder(folder / "live");
  for (int i = 0; i < records; ++i) recorder.record("x", std::vector<int>(4, i));
  recorder.flush();
  fs::copy(folder / "live", run);
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void check_recovered(const fs::path& run) {
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses == Lines());
  CHECK(report.recovered == records);
  CHECK(Folder::names_in(run) == Lines{"recording.lock", "segment-000001.safetensors"});
  static_cast<void>(ss::verify_file(run / "segment-000001.safetensors"));
  const ss::Recording recording(run);
  REQUIRE(recording.size() == records);
  for (int i = 0; i < records; ++i)
    CHECK(recording[static_cast<std::size_t>(i)].as<std::vector<int>>() == std::vector<int>(4, i));
}

}  // namespace

TEST_CASE("a foreign file in a segment's place takes nothing from the segment") {
  const Folder folder;
  const fs::path run = folder / "run";
  leave_unsealed(folder, run);
  const fs::path sealed = run / "segment-000001.safetensors";
  ss::save_file(std::vector<float>{1, 2}, sealed);
  const Lines names = Folder::names_in(run);
  const std::string journal = read(run / "segment-000001.journal");
  const std::string part = read(run / "segment-000001.part");
  for (int i = 0; i < 2; ++i) {
    const ss::RecoveryReport report = ss::recover_recording(run);
    CHECK(report.sealed == 0);
    CHECK(report.notes == Lines());
    REQUIRE(report.losses.size() == 1);
    CHECK(report.losses[0].starts_with(sealed.string() + ": "));
    CHECK(report.losses[0].ends_with(
        ". segment-000001.part and segment-000001.journal may have its records: move this file "
        "out of the folder, and recover again"));
    CHECK(Folder::names_in(run) == names);
    CHECK(read(run / "segment-000001.journal") == journal);
    CHECK(read(run / "segment-000001.part") == part);
  }
  fs::remove(sealed);
  check_recovered(run);
}

TEST_CASE("a sealed segment whose header is damaged is recovered from the journal left of it") {
  const Folder folder;
  const fs::path run = folder / "run";
  leave_unsealed(folder, run);
  const std::string journal = read(run / "segment-000001.journal");
  static_cast<void>(ss::recover_recording(run));
  const fs::path sealed = run / "segment-000001.safetensors";
  std::ofstream(run / "segment-000001.journal", std::ios::binary) << journal;
  std::fstream(sealed, std::ios::binary | std::ios::in | std::ios::out) << std::string(100, '\0');
  for (int i = 0; i < 2; ++i) {
    const ss::RecoveryReport report = ss::recover_recording(run);
    CHECK(report.notes == Lines());
    REQUIRE(report.losses.size() == 1);
    CHECK(report.losses[0].starts_with(sealed.string() + ": "));
    CHECK(report.losses[0].ends_with(
        ". segment-000001.journal may have its records: rename this file to segment-000001.part, "
        "and recover again"));
    CHECK(read(run / "segment-000001.journal") == journal);
  }
  fs::rename(sealed, run / "segment-000001.part");
  check_recovered(run);
}

TEST_CASE("a sealed segment of another layout is left to those who know it, with its journal") {
  const Folder folder;
  const fs::path run = folder / "run";
  leave_unsealed(folder, run);
  const fs::path sealed = run / "segment-000001.safetensors";
  fs::remove(run / "segment-000001.part");
  ss::save_file(std::vector<float>{1, 2}, sealed,
                {.metadata = {{"safestructures_recording", R"({"version": 3, "segment": 1})"}}});
  const Lines names = Folder::names_in(run);
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses ==
        Lines{sealed.string() + ": the segment of a recording has an unknown layout: "
                                "expected version 2, found 3. Read the recording with a newer "
                                "safestructures, or open this file alone as a structure."});
  CHECK(report.notes == Lines());
  CHECK(Folder::names_in(run) == names);
}

TEST_CASE("data beside a segment that is sealed keep their journal") {
  const Folder folder;
  const fs::path run = folder / "run";
  leave_unsealed(folder, run);
  // Of another run, whose segment has this number.
  {
    ss::ActivationRecorder recorder(folder / "other");
    recorder.record("y", 1);
    recorder.close();
  }
  const fs::path sealed = run / "segment-000001.safetensors";
  fs::copy_file(folder / "other" / "segment-000001.safetensors", sealed);
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.sealed == 1);
  CHECK(report.losses ==
        Lines{"segment-000001.part: there is already a sealed segment with its number"});
  CHECK(report.notes == Lines());
  fs::remove(sealed);
  check_recovered(run);
}

TEST_CASE("every sealed segment that cannot be read is told of, with no journal beside any") {
  const Folder folder;
  const fs::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(run, {.segment_bytes = 4096});
    for (int i = 0; i < 4; ++i) recorder.record("x", std::vector<int>(1000, i));
    recorder.close();
  }
  const auto segment = [&](int number) {
    return run / ("segment-00000" + std::to_string(number) + ".safetensors");
  };
  REQUIRE(fs::exists(segment(4)));
  CHECK(ss::recover_recording(run).sealed == 4);
  fs::resize_file(segment(2), 0);
  fs::resize_file(segment(4), 7);
  const Lines names = Folder::names_in(run);
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.sealed == 2);
  CHECK(report.notes == Lines());
  const auto text = [&](int number, const std::string& size) {
    return segment(number).string() +
           ": the file is too short for a safetensors file: expected at least 8 bytes, found " +
           size + ". Check that this is a safetensors file.";
  };
  CHECK(report.losses == Lines{text(2, "0"), text(4, "7")});
  CHECK(Folder::names_in(run) == names);
}
