/// \file
/// What recovery makes of a journal with gaps in its numbers, and of one that is damaged all over.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/verify.hpp>

#include "recording/segments/frame.hpp"
#include "recording/segments/journal.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/text.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::error_of;
using ss::test::Folder;
using Lines = std::vector<std::string>;

/// That of an int.
ss::recording::Frame frame_of(std::uint64_t sequence) {
  ss::recording::Frame frame;
  frame.schema = R"({"data_type": "int", "value": 1})";
  frame.head.name = "x";
  frame.head.sequence = sequence;
  return frame;
}

}  // namespace

TEST_CASE("frames are found behind any number of damaged ones, in time") {
  const Folder folder;
  const fs::path run = folder / "run";
  fs::create_directory(run);
  std::vector<std::byte> journal;
  ss::recording::append_head(journal, {.segment = 1, .room = 32768, .checksums = false});
  std::vector<std::byte> bad;
  ss::recording::append_frame(bad, frame_of(0));
  bad.resize(ss::recording::frame_head_size);
  // It says to be 2 MiB long: for all of them together 1.2 TB would be hashed.
  bad[8] = bad[9] = std::byte{0};
  bad[10] = std::byte{32};
  constexpr int damaged = 600'000;
  for (int i = 0; i < damaged; ++i) journal.insert(journal.end(), bad.begin(), bad.end());
  for (std::uint64_t i = 0; i < 3; ++i) ss::recording::append_frame(journal, frame_of(i));
  std::ofstream(run / "segment-000001.journal", std::ios::binary) << ss::test::text_of(journal);
  std::ofstream(run / "segment-000001.part", std::ios::binary) << std::string(32768, '\0');
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.recovered == 3);
  CHECK(report.losses == Lines{"segment-000001.part: the journal is damaged, 14400000 bytes"});
}

TEST_CASE("a damaged byte of the journal's head costs no record") {
  const Folder folder;
  {
    ss::ActivationRecorder recorder(folder / "live", {.header_bytes = 4096});
    for (int i = 0; i < 5; ++i) recorder.record("x", std::vector<int>(4, i));
    recorder.flush();
    fs::copy(folder / "live", folder / "died");
  }
  for (std::size_t place = 0; place < ss::recording::journal_head_size; ++place)
    for (const unsigned flipped : {1U, 0x80U, 0xFFU}) {
      CAPTURE(place);
      const fs::path run = folder / "run";
      fs::remove_all(run);
      fs::copy(folder / "died", run);
      std::fstream journal(run / "segment-000001.journal",
                           std::ios::binary | std::ios::in | std::ios::out);
      journal.seekg(static_cast<std::streamoff>(place));
      const auto byte = static_cast<unsigned>(journal.get());
      journal.seekp(static_cast<std::streamoff>(place));
      journal.put(static_cast<char>(byte ^ flipped));
      journal.close();
      CHECK(ss::Recording(run).size() == 5);
      const ss::RecoveryReport report = ss::recover_recording(run);
      CHECK(report.losses == Lines());
      CHECK(report.recovered == 5);
      CHECK(ss::Recording(run)[4].as<std::vector<int>>() == std::vector<int>(4, 4));
    }
}

TEST_CASE("a journal has one frame for each record, small or large, few or many") {
  for (const std::size_t size : {4U, 1000U, 100'000U}) {
    CAPTURE(size);
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run");
    constexpr std::size_t records = 3000;
    const std::size_t count = std::min<std::size_t>(records, 4'000'000 / size);
    for (std::size_t i = 0; i < count; ++i) recorder.record("x", std::vector<float>(size));
    recorder.flush();
    const std::vector<std::byte> journal =
        ss::recording::read_journal(folder / "run/segment-000001.journal", 0, {});
    std::span<const std::byte> rest = std::span(journal).subspan(ss::recording::journal_head_size);
    for (std::size_t i = 0; i < count; ++i) {
      const ss::recording::FoundFrame found = ss::recording::read_frame(rest, {});
      REQUIRE(found.state == ss::recording::FrameState::whole);
      CHECK(found.frame.head.call == i);
      CHECK(found.frame.end - found.frame.begin == size * sizeof(float));
      rest = rest.subspan(found.size);
    }
    CHECK(rest.empty());
  }
}

TEST_CASE("the remains of an interrupted seal before the data are overwritten") {
  const Folder folder;
  const fs::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(folder / "live", {.header_bytes = 65536});
    for (int i = 0; i < 20; ++i) recorder.record("x", std::vector<float>(4, 1));
    recorder.flush();
    fs::copy(folder / "live", run);
  }
  std::fstream part(run / "segment-000001.part", std::ios::binary | std::ios::in | std::ios::out);
  part << std::string(65536, '\xff');
  part.close();
  CHECK(ss::recover_recording(run).recovered == 20);
  CHECK(ss::verify_file(run / "segment-000001.safetensors").has_checksums);
  CHECK(ss::Recording(run)[19].as<std::vector<float>>() == std::vector<float>(4, 1));
}

TEST_CASE("a record that the recorder refused is no record that was lost") {
  const Folder folder;
  const fs::path live = folder / "live";
  const fs::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(live);
    for (std::uint64_t i = 0; i < 6; ++i) {
      if (i % 4 == 1) recorder.record("x", std::string("\xff"));
      else recorder.record("x", std::vector<double>(4, static_cast<double>(i)));
      static_cast<void>(error_of([&] { return recorder.flush(); }));
    }
    fs::copy(live, run);
  }
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses == Lines());
  CHECK(report.lost == 0);
  CHECK(report.notes == Lines{"segment-000001.safetensors: 4 records recovered, without 1 that the "
                              "recorder had refused"});
  std::vector<std::uint64_t> sequences;
  for (const ss::Record& record : ss::Recording(run)) sequences.push_back(record.sequence());
  CHECK(sequences == std::vector<std::uint64_t>{0, 2, 3, 4});
}

TEST_CASE("of records that a journal has again or in another order the first count") {
  const Folder folder;
  const fs::path run = folder / "run";
  fs::create_directory(run);
  std::vector<std::byte> journal;
  ss::recording::append_head(journal, {.segment = 1, .room = 32768, .checksums = false});
  for (const std::uint64_t sequence : {0U, 2U, 1U, 2U, 3U})
    ss::recording::append_frame(journal, frame_of(sequence));
  std::ofstream(run / "segment-000001.journal", std::ios::binary) << ss::test::text_of(journal);
  std::ofstream(run / "segment-000001.part", std::ios::binary) << std::string(32768, '\0');
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses ==
        Lines{"segment-000001.part: the data of 2 records are damaged or missing"});
  CHECK(report.notes == Lines{"segment-000001.safetensors: 3 records recovered, without 1 that the "
                              "recorder had refused"});
  std::vector<std::uint64_t> sequences;
  for (const ss::Record& record : ss::Recording(run)) sequences.push_back(record.sequence());
  CHECK(sequences == std::vector<std::uint64_t>{0, 2, 3});
}

TEST_CASE("a journal of which nothing is whole stays, with its data") {
  const Folder folder;
  const fs::path run = folder / "run";
  fs::create_directory(run);
  std::vector<std::byte> journal;
  ss::recording::append_head(journal, {.segment = 1, .room = 32768, .checksums = false});
  ss::recording::append_frame(journal, frame_of(0));
  journal.back() ^= std::byte{1};
  std::ofstream(run / "segment-000001.journal", std::ios::binary) << ss::test::text_of(journal);
  std::ofstream(run / "segment-000001.part", std::ios::binary) << std::string(32768, '\0');
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses ==
        Lines{"segment-000001.part: the journal is damaged, " +
              std::to_string(journal.size() - ss::recording::journal_head_size) + " bytes"});
  CHECK(report.notes == Lines());
  CHECK(Folder::names_in(run) ==
        Lines{"recording.lock", "segment-000001.journal", "segment-000001.part"});
}
