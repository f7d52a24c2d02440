/// \file
/// Damage that is scattered over rows of one tensor costs the damaged records and no others.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/verify.hpp>

#include "recording/segments/frame.hpp"
#include "recording/segments/segment_header.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::recording::Frame;
using ss::recording::SegmentHeader;
using ss::test::Folder;
using Lines = std::vector<std::string>;

constexpr std::uint64_t room = 262144;
constexpr std::uint64_t numbers = 64;
constexpr std::uint64_t row_bytes = numbers * sizeof(float);

std::vector<float> value_of(std::uint64_t i) {
  return std::vector<float>(numbers, static_cast<float>(i));
}

/// The folder of a recorder that died after so many records.
fs::path leave_unsealed(const Folder& folder, std::uint64_t records) {
  ss::ActivationRecorder recorder(folder / "live", {.header_bytes = room});
  for (std::uint64_t i = 0; i < records; ++i) recorder.record("x", value_of(i));
  recorder.flush();
  REQUIRE(recorder.report().segments == 0);
  fs::copy(folder / "live", folder / "run");
  return folder / "run";
}

/// Changes a byte at each of the places.
void damage(const fs::path& file, const std::vector<std::uint64_t>& places) {
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  for (const std::uint64_t place : places) {
    bytes.seekg(static_cast<std::streamoff>(place));
    const int byte = bytes.get();
    bytes.seekp(static_cast<std::streamoff>(place));
    bytes.put(static_cast<char>(byte ^ 1));
  }
  REQUIRE(bytes.good());
}

/// Where every third frame of a journal has the name of its record.
std::vector<std::uint64_t> names_of_thirds(const fs::path& journal) {
  std::ifstream file(journal, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  std::vector<std::uint64_t> places;
  std::size_t place = ss::recording::journal_head_size;
  for (std::uint64_t i = 0; place < bytes.size(); ++i) {
    const auto found = ss::recording::read_frame(bytes.subspan(place), {});
    REQUIRE(found.state == ss::recording::FrameState::whole);
    if (i % 3 == 1) places.push_back(text.find("x", place + 70));
    place += found.size;
  }
  return places;
}

/// Checks that all records are in a valid file but every third, from the second on.
void check_recovered(const fs::path& run, std::uint64_t records) {
  const fs::path sealed = run / "segment-000001.safetensors";
  CHECK(Folder::names_in(run) == Lines{"recording.lock", sealed.filename().string()});
  CHECK(ss::verify_file(sealed).has_checksums);
  const ss::Recording found(run);
  REQUIRE(found.size() == records - records / 3);
  for (std::uint64_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].sequence() == i / 2 * 3 + i % 2 * 2);
    CHECK(found[i].as<std::vector<float>>() == value_of(found[i].sequence()));
  }
}

const std::string long_text(400, 'n');

/// Records in one file, and the bytes that their recorder reserved for the header.
struct Written {
  std::vector<Frame> frames;
  std::uint64_t room = 0;
};

/// Batches as a recorder writes them, each of some tensors of rows and a structure. Only the name
/// of the first row is reckoned with for its tensor.
Written write(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random);
  };
  Written written;
  SegmentHeader header;
  std::uint64_t end = 0;
  const auto add = [&](Frame frame, std::uint64_t bytes) {
    frame.head.sequence = written.frames.size();
    frame.begin = end;
    frame.end = end += bytes;
    written.frames.push_back(std::move(frame));
  };
  for (int batch = 0; batch < 150; ++batch) {
    const std::size_t first = written.frames.size();
    for (std::uint64_t size = 1; size < 4; ++size) {
      for (std::uint64_t row = 0, rows = 2 + below(5); row < rows; ++row) {
        Frame frame;
        frame.head.name = row == 0 ? "x" : std::string_view(long_text);
        frame.tensors.push_back({"", ss::DType::F32, {size}, end, end + size * sizeof(float), 0});
        add(std::move(frame), size * sizeof(float));
      }
    }
    if (below(3) == 0) {
      Frame frame;
      frame.head.name = "structure";
      frame.schema = R"({"data_type": "int", "value": 1})";
      add(std::move(frame), 0);
    }
    std::vector<Frame> copies(written.frames.begin() + static_cast<std::ptrdiff_t>(first),
                              written.frames.end());
    std::vector<Frame*> together;
    for (Frame& frame : copies) together.push_back(&frame);
    header.add(together, [](std::uint64_t, std::uint64_t) { return 0; });
  }
  written.room = (header.bound() + 7) / 8 * 8;
  return written;
}

}  // namespace

TEST_CASE("rows damaged everywhere leave the others, whose header fits into its room") {
  constexpr std::uint64_t records = 3000;
  const Folder folder;
  const fs::path run = leave_unsealed(folder, records);
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 1; i < records; i += 3) places.push_back(room + i * row_bytes);
  damage(run / "segment-000001.part", places);
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses ==
        Lines{"segment-000001.part: the data of 1000 records are damaged or missing"});
  CHECK(report.notes == Lines{"segment-000001.safetensors: 2000 records recovered"});
  check_recovered(run, records);
  const ss::Value values = ss::load_file(run / "segment-000001.safetensors")["values"];
  REQUIRE(values.items().size() == 1);
  CHECK(values.items()[0].tensor().shape() == ss::Shape{records, numbers});
}

TEST_CASE("frames damaged everywhere leave the others, whose header fits into its room") {
  constexpr std::uint64_t records = 3000;
  const Folder folder;
  const fs::path run = leave_unsealed(folder, records);
  const fs::path journal = run / "segment-000001.journal";
  damage(journal, names_of_thirds(journal));
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses ==
        Lines{"segment-000001.part: 1000 records of the sequence are not in the journal"});
  check_recovered(run, records);
}

TEST_CASE("whatever is lost, what is left has a header for which its recorder kept room") {
  std::mt19937_64 random(1);
  for (const unsigned percent : {1U, 10U, 50U, 90U, 99U}) {
    for (int round = 0; round < 4; ++round) {
      CAPTURE(percent);
      CAPTURE(round);
      Written written = write(random);
      std::vector<Frame*> sound;
      for (Frame& frame : written.frames)
        if (random() % 100 >= percent) sound.push_back(&frame);
      SegmentHeader header;
      header.add(sound, [](std::uint64_t, std::uint64_t) { return 0; });
      CHECK(header.records() == sound.size());
      ss::recording::SegmentFront front;
      REQUIRE_NOTHROW(front = header.front({}, written.room, true));
      CHECK(front.size() == written.room);
    }
  }
}

TEST_CASE("a row behind many lost ones begins a tensor, and has one of them in front of it") {
  const auto frame_at = [](std::uint64_t row) {
    Frame frame;
    frame.head.name = "x";
    frame.head.sequence = row;
    frame.begin = row * 8;
    frame.end = frame.begin + 8;
    frame.tensors.push_back({"", ss::DType::F32, {2}, frame.begin, frame.end, 0});
    return frame;
  };
  std::vector<Frame> frames = {frame_at(0), frame_at(65), frame_at(131)};
  std::vector<Frame*> sound;
  for (Frame& frame : frames) sound.push_back(&frame);
  SegmentHeader header;
  header.add(sound, [](std::uint64_t, std::uint64_t) { return 0; });
  const std::string text = header.front({}, 0, false).text();
  CHECK(text.find(R"("00000000:rows":{"dtype":"F32","shape":[66,2])") != std::string::npos);
  CHECK(text.find(R"("gap.528":{"dtype":"U8","shape":[512])") != std::string::npos);
  CHECK(text.find(R"("00000131:rows":{"dtype":"F32","shape":[2,2])") != std::string::npos);
}
