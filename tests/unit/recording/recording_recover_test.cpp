/// \file
/// What is recovered of segments that are cut short or damaged, and what is said about it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/save.hpp>
#include <safestructures/tools/verify.hpp>

#include "recording/segments/frame.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/text.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::error_of;
using ss::test::Folder;
using Lines = std::vector<std::string>;

constexpr std::uint64_t records = 6;

std::vector<double> value_of(std::uint64_t i) {
  return std::vector<double>(4 + i, static_cast<double>(i));
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The files of a recorder that died after six records, in a folder of their own.
struct Died {
  Folder folder;
  fs::path run = folder / "run";
  std::string journal;
  std::string part;

  explicit Died(bool checksums = true) {
    const fs::path live = folder / "live";
    ss::ActivationRecorder recorder(live, {.header_bytes = 32768, .checksums = checksums});
    for (std::uint64_t i = 0; i < records; ++i) recorder.record("x", value_of(i));
    recorder.flush();
    journal = read(live / "segment-000001.journal");
    part = read(live / "segment-000001.part");
    fs::create_directory(run);
    put();
  }
  void put() const {
    fs::remove(run / "segment-000001.safetensors");
    write(run / "segment-000001.journal", journal);
    write(run / "segment-000001.part", part);
  }
};

/// The sequences of all records, whose values must be right, in a recording whose files are valid.
std::vector<std::uint64_t> recovered(const fs::path& folder) {
  std::vector<std::uint64_t> sequences;
  for (const std::string& name : Folder::names_in(folder))
    if (name.ends_with(".safetensors")) static_cast<void>(ss::verify_file(folder / name));
  for (const ss::Record& record : ss::Recording(folder)) {
    sequences.push_back(record.sequence());
    CHECK(record.as<std::vector<double>>() == value_of(record.sequence()));
  }
  return sequences;
}

ss::recording::Frame frame_of(const std::string& schema) {
  ss::recording::Frame frame;
  frame.schema = schema;
  frame.head.name = "x";
  return frame;
}

/// Replaces the journal by one with a record of that schema.
void write_journal(const fs::path& run, std::uint64_t room, const std::string& schema) {
  std::vector<std::byte> journal;
  ss::recording::append_head(journal, {.segment = 1, .room = room});
  ss::recording::append_frame(journal, frame_of(schema));
  write(run / "segment-000001.journal", ss::test::text_of(journal));
}

/// Where each frame of a journal begins, and where the last ends.
std::vector<std::size_t> frames_of(const std::string& journal) {
  const auto bytes = std::as_bytes(std::span(journal));
  std::vector<std::size_t> places = {ss::recording::journal_head_size};
  while (places.back() < bytes.size()) {
    const auto found = ss::recording::read_frame(bytes.subspan(places.back()), {});
    REQUIRE(found.state == ss::recording::FrameState::whole);
    places.push_back(places.back() + found.size);
  }
  return places;
}

}  // namespace

TEST_CASE("progress of recovering adds up to the bytes of the segments that are not sealed") {
  for (const bool checksums : {true, false}) {
    CAPTURE(checksums);
    const Died died(checksums);
    std::uint64_t done = 0;
    std::vector<std::uint64_t> wholes;
    int calls = 0;
    const auto tell = [&](std::uint64_t more, std::uint64_t all) {
      CHECK(more > 0);
      done += more;
      wholes.push_back(all);
      ++calls;
    };
    ss::recover_recording(died.run, {.progress = tell});
    CHECK(done == died.part.size());
    CHECK(std::ranges::all_of(wholes, [&](std::uint64_t all) { return all == died.part.size(); }));
    // Each record's tensor, and what is no record.
    CHECK(calls == (checksums ? records + 1 : 1));
    calls = 0;
    ss::recover_recording(died.run, {.progress = tell});
    CHECK(calls == 0);
  }
}

TEST_CASE("what a dead recorder left is sealed, once") {
  const Died died;
  CHECK(ss::Recording(died.run).size() == records);
  const ss::RecoveryReport report = ss::recover_recording(died.run);
  CHECK(report.repaired == 1);
  CHECK(report.recovered == records);
  CHECK(report.cut_bytes == 0);
  CHECK(report.notes == Lines{"segment-000001.safetensors: 6 records recovered"});
  CHECK_FALSE(report.is_lossy());
  CHECK(recovered(died.run).size() == records);
  CHECK(Folder::names_in(died.run) == Lines{"recording.lock", "segment-000001.safetensors"});
  const ss::RecoveryReport again = ss::recover_recording(died.run);
  CHECK(again.is_clean());
  CHECK(again.sealed == 1);
  CHECK(ss::Recording(died.run).about() ==
        R"({"version": 2, "segment": 1, "closed": false, "recovered": true})");
}

TEST_CASE("a journal that is cut anywhere gives the records before the cut") {
  Died died;
  const std::string whole = died.journal;
  const std::vector<std::size_t> frames = frames_of(whole);
  REQUIRE(frames.size() == records + 1);
  for (std::size_t size = 0; size < whole.size(); size += size % 13 + 1) {
    CAPTURE(size);
    died.journal = whole.substr(0, size);
    died.put();
    const ss::RecoveryReport report = ss::recover_recording(died.run);
    const auto complete = static_cast<std::uint64_t>(
        std::ranges::count_if(frames, [&](std::size_t place) { return place <= size; }));
    // A journal without its first bytes says nothing of the data beside it.
    CHECK(report.is_lossy() == (size < ss::recording::journal_head_size));
    CHECK(report.recovered == (complete == 0 ? 0 : complete - 1));
    if (!report.is_lossy()) CHECK(recovered(died.run).size() == report.recovered);
  }
}

TEST_CASE("data that are cut anywhere cost the records that they cut") {
  Died died;
  const std::string whole = died.part;
  std::uint64_t fewer = 0;
  for (std::size_t size = whole.size(); size > 32768; size -= 24) {
    CAPTURE(size);
    died.part = whole.substr(0, size);
    died.put();
    const ss::RecoveryReport report = ss::recover_recording(died.run);
    CHECK(report.recovered + report.lost == records);
    CHECK(report.is_lossy() == (report.lost != 0));
    fewer += report.lost;
    if (report.recovered == 0) break;
    CHECK(recovered(died.run).size() == report.recovered);
  }
  CHECK(fewer > 0);
  died.part.clear();
  died.put();
  CHECK(ss::recover_recording(died.run).losses ==
        Lines{"segment-000001.part: the data of 6 records are damaged or missing"});
  // Nothing is removed of which something might be made.
  CHECK(fs::exists(died.run / "segment-000001.journal"));
}

TEST_CASE("a damaged byte of data costs its record and no other") {
  Died died;
  const std::string whole = died.part;
  const std::vector<std::size_t> places = {32768, 32768 + 4 * 8, whole.size() - 1};
  const std::vector<std::uint64_t> lost = {0, 1, 5};
  for (std::size_t i = 0; i < places.size(); ++i) {
    died.part = whole;
    died.part[places[i]] = static_cast<char>(~died.part[places[i]]);
    died.put();
    const ss::RecoveryReport report = ss::recover_recording(died.run);
    CHECK(report.losses ==
          Lines{"segment-000001.part: the data of 1 record are damaged or missing"});
    const std::vector<std::uint64_t> found = recovered(died.run);
    CHECK(found.size() == records - 1);
    CHECK(std::ranges::find(found, lost[i]) == found.end());
  }
  // Without checksums nobody knows.
  Died without(false);
  without.part[32768] = '\1';
  without.put();
  CHECK_FALSE(ss::recover_recording(without.run).is_lossy());
}

TEST_CASE("a damaged byte of the journal costs one record at most, and is reported") {
  Died died;
  const std::string whole = died.journal;
  for (std::size_t at = ss::recording::journal_head_size; at < whole.size(); at += at % 5 + 1) {
    CAPTURE(at);
    died.journal = whole;
    died.journal[at] = static_cast<char>(died.journal[at] ^ 0x10);
    died.put();
    // What a reader of a live run gets is whole as well.
    for (const ss::Record& record : ss::Recording(died.run))
      CHECK(record.as<std::vector<double>>() == value_of(record.sequence()));
    const ss::RecoveryReport report = ss::recover_recording(died.run);
    // A frame's checksum tells its length too.
    const bool is_in_length = std::ranges::any_of(
        frames_of(whole), [&](std::size_t frame) { return at >= frame + 8 && at < frame + 16; });
    CHECK(report.recovered == (is_in_length ? records : records - 1));
    CHECK(report.is_lossy() != is_in_length);
    CHECK(recovered(died.run).size() == report.recovered);
  }
}

TEST_CASE("files that are missing, left over or of another kind are reported") {
  struct Case {
    std::string name;
    void (*change)(const fs::path& run);
    Lines losses;
    Lines notes;
  };
  const std::vector<Case> cases = {
      {"no journal",
       [](const fs::path& run) { fs::remove(run / "segment-000001.journal"); },
       {"segment-000001.part: there is no journal that says what is in it"},
       {}},
      {"no data",
       [](const fs::path& run) { fs::remove(run / "segment-000001.part"); },
       {"segment-000001.part: the data of a segment are missing"},
       {}},
      {"another number",
       [](const fs::path& run) {
         fs::rename(run / "segment-000001.part", run / "segment-000003.part");
         fs::rename(run / "segment-000001.journal", run / "segment-000003.journal");
       },
       {"segments 1 to 2 are missing",
        "segment-000003.safetensors says that it is segment 1 of its recording"},
       {"segment-000003.safetensors: 6 records recovered"}},
      {"another file",
       [](const fs::path& run) { write(run / "segment-000001.journal", std::string(99, 'x')); },
       {"segment-000001.part: the journal cannot be used: the file is not the journal of a "
        "recording, or it is damaged: expected the first bytes of a journal and their checksum."},
       {}},
      {"a huge room",
       [](const fs::path& run) { write_journal(run, std::uint64_t{1} << 60U, "{}"); },
       {"segment-000001.part: the journal cannot be used: it says that the data begin at byte "
        "1152921504606846976"},
       {}},
      {"a room that ends within a number",
       [](const fs::path& run) { write_journal(run, 32764, "{}"); },
       {"segment-000001.part: the journal cannot be used: it says that the data begin at byte "
        "32764"},
       {}},
      {"no room",
       [](const fs::path& run) { write_journal(run, 0, "{}"); },
       {"segment-000001.part: the journal cannot be used: it says that the data begin at byte 0"},
       {}},
      {"text that is no schema",
       [](const fs::path& run) { write_journal(run, 32768, "{}, {\"data_type\": \"int\"}"); },
       {"segment-000001.part: the data of 1 record are damaged or missing"},
       {}},
      {"left over",
       [](const fs::path& run) {
         static_cast<void>(ss::recover_recording(run));
         write(run / "segment-000001.journal", "x");
       },
       {},
       {"segment-000001.journal: left over from a sealed segment, removed"}},
      {"nothing finished",
       [](const fs::path& run) { fs::resize_file(run / "segment-000001.journal", 50); },
       {},
       {"no record was finished in segment-000001.part, which is removed"}},
      {"begun at once",
       [](const fs::path& run) { write(run / "recording.new", "x"); },
       {},
       {"no record was finished in recording.new, which is removed",
        "segment-000001.safetensors: 6 records recovered"}},
      {"others",
       [](const fs::path& run) {
         // With a number as no recorder writes it, or that none has.
         for (const char* number : {"1", "000000", "281474976710657", "99999999999999999999", "x"})
           write(run / ("segment-" + std::string(number) + ".part"), "");
         write(run / "segment-000001.journal.bak", "");
         write(run / "notes.txt", "");
       },
       {},
       {"segment-000001.safetensors: 6 records recovered"}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Died died;
    one.change(died.run);
    const ss::RecoveryReport report = ss::recover_recording(died.run);
    CHECK(report.losses == one.losses);
    CHECK(report.notes == one.notes);
    CHECK_FALSE(fs::exists(died.run / "recording.new"));
  }
}

TEST_CASE("files that cannot be removed are reported") {
  const Folder folder;
  write(folder / "recording.lock", "");
  fs::create_directories(folder / "recording.new" / "full");
  CHECK(ss::recover_recording(folder / "").losses ==
        Lines{"recording.new: cannot be removed, and is in the way of a recorder"});
}

TEST_CASE("a file that a killed recorder was writing is in nobody's way") {
  const Folder folder;
  const fs::path run = folder / "run";
  fs::create_directories(run);
  write(run / "recording.lock", "");
  write(run / "recording.new", std::string(99, 'x'));
  CHECK(ss::Recording(run).empty());
  ss::ActivationRecorder recorder(run);
  recorder.record("x", 1);
  recorder.close();
  CHECK(ss::Recording(run).size() == 1);
  CHECK(Folder::names_in(run) == Lines{"recording.lock", "segment-000001.safetensors"});
}

TEST_CASE("a recording that is still being written and a folder without one are refused") {
  const Folder folder;
  const std::string run = (folder / "run").string();
  ss::ActivationRecorder recorder(run);
  CHECK(error_of([&] { return ss::recover_recording(run); }) ==
        "cannot_write: " + run +
            ": the recording is still being written: expected a folder that no process writes to, "
            "found its lock held by a running process. Close the recorder, or end its process and "
            "those that it forked.");
  recorder.close();
  CHECK(ss::recover_recording(run).is_clean());
  const std::string none = (folder / "none").string();
  CHECK(error_of([&] { return ss::recover_recording(none); }) ==
        "cannot_open: " + none +
            ": cannot open the folder of a recording: No such file or directory. Check the path; "
            "relative paths start at the current folder.");
  CHECK_FALSE(fs::exists(folder / "none"));
  const fs::path other = folder / "other";
  fs::create_directory(other);
  fs::create_directory(other / "segment-7.part");  // No name of ours.
  const std::string refused = "cannot_open: " + other.string() +
                              ": the folder is not a recording: expected "
                              "segment-000001.safetensors or recording.lock, found "
                              "neither. Name the folder that the recorder was given.";
  CHECK(error_of([&] { return ss::recover_recording(other); }) == refused);
  CHECK(error_of([&] { return ss::Recording(other); }) == refused);
  CHECK_FALSE(fs::exists(other / "recording.lock"));
}

TEST_CASE("a recorder that has recorded nothing yet is a recording without records") {
  const Folder folder;
  const fs::path run = folder / "run";
  const ss::ActivationRecorder recorder(run);
  CHECK(ss::Recording(run).empty());
}

TEST_CASE("records that claim the same data are not two records") {
  const Folder folder;
  const fs::path run = folder / "run";
  fs::create_directory(run);
  std::vector<std::byte> journal;
  ss::recording::append_head(journal, {.segment = 1, .room = 32768, .checksums = false});
  for (std::uint64_t i = 0; i < 2; ++i) {
    ss::recording::Frame frame;
    frame.head.name = "x";
    frame.head.sequence = i;
    frame.begin = 8 * i;
    frame.end = frame.begin + 16;
    frame.own_dtype = ss::DType::F64;
    frame.tensors.push_back({"", ss::DType::F64, {2}, frame.begin, frame.end, 0});
    ss::recording::append_frame(journal, frame);
  }
  write(run / "segment-000001.journal", ss::test::text_of(journal));
  write(run / "segment-000001.part", std::string(32768 + 24, '\0'));
  const ss::Recording live(run);
  CHECK(live.size() == 1);
  CHECK(live.problems() ==
        Lines{(run / "segment-000001.journal").string() + " has records that claim the same data"});
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.recovered == 1);
  CHECK(report.losses == Lines{"segment-000001.part: the data of 1 record are damaged or missing"});
}
