/// \file
/// A recording of several segments, sealed or not, that is followed, damaged, opened and recovered.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/codecs/values.hpp>
#include <safestructures/codecs/vector.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/recording/verify_recording.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/recording.hpp"
#include "recording/segments/files.hpp"
#include "recording/segments/frame.hpp"

namespace fuzz {

/// The files of a folder by their names.
using Files = std::map<std::string, std::vector<std::byte>>;

inline Files read_files(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Bytes bytes = std::as_bytes(std::span(text));
    files[entry.path().filename().string()].assign(bytes.begin(), bytes.end());
  }
  return files;
}

/// Makes `files` what the folder has.
inline void write_files(const std::filesystem::path& folder, const Files& files) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (!files.contains(entry.path().filename().string())) remove(entry.path());
  for (const auto& [name, bytes] : files)
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

/// The files of a run as they are when it is closed, and each segment's as they were before it was
/// sealed.
struct Recorded {
  Files sealed;
  Files unsealed;
};

inline constexpr unsigned segments = 4;

inline Recorded make_recorded(bool checksums) {
  const RunFolder folder(checksums ? "made" : "made-unchecked");
  Recorded made;
  ss::ActivationRecorder recorder(
      folder.path(), {.segment_bytes = 64, .header_bytes = 4096, .checksums = checksums});
  for (int i = 0; i < 10; ++i) {
    recorder.step(i / 5);
    if (i % 3 == 2)
      recorder.record(
          "b", ss::Value::list({1.5, "text", ss::Value(ss::Tensor::own(std::vector<float>{2}))}));
    else recorder.record("a", std::vector<float>(8, static_cast<float>(i)));
    recorder.flush();
    for (auto& [name, bytes] : read_files(folder.path())) made.unsealed[name] = std::move(bytes);
  }
  recorder.close();
  for (auto& [name, bytes] : read_files(folder.path())) made.sealed[name] = std::move(bytes);
  for (unsigned segment = 1; segment <= segments; ++segment) {
    const auto name = ss::recording::sealed_file({}, segment).string();
    require(made.sealed.contains(name), "a run has fewer segments than were meant");
    made.unsealed.erase(name);
  }
  return made;
}

inline const Recorded& recorded(bool checksums) {
  static const std::array<Recorded, 2> both = {make_recorded(false), make_recorded(true)};
  return both[checksums ? 1 : 0];
}

/// Gives `files` that of `from` of this name, or takes it away where there is none.
inline void take(Files& files, const Files& from, const std::filesystem::path& name) {
  files.erase(name.string());
  if (const auto found = from.find(name.string()); found != from.end()) files.insert(*found);
}

/// Each segment sealed, not sealed, both or neither, as two bits say.
inline Files chosen_files(const Recorded& run, unsigned states) {
  using namespace ss::recording;
  Files files;
  for (unsigned segment = 1; segment <= segments; ++segment, states >>= 2U) {
    const unsigned state = states & 3U;
    if (state == 0 || state == 2) take(files, run.sealed, sealed_file({}, segment));
    if (state == 0 || state == 3) continue;
    take(files, run.unsealed, part_file({}, segment));
    take(files, run.unsealed, journal_file({}, segment));
  }
  return files;
}

/// Whether no segment that is missing has others behind it, as those of a run that goes on: who
/// follows a run does not go back.
inline bool goes_on(unsigned states) {
  bool is_behind = false;
  for (unsigned segment = 1; segment <= segments; ++segment, states >>= 2U) {
    if ((states & 3U) == 3) is_behind = true;
    else if (is_behind) return false;
  }
  return true;
}

/// As the recorder does.
inline void seal(Files& files, const Recorded& run, unsigned segment) {
  using namespace ss::recording;
  take(files, run.sealed, sealed_file({}, segment));
  take(files, run.sealed, part_file({}, segment));
  take(files, run.sealed, journal_file({}, segment));
}

/// Where the frames of a journal begin, and its end.
inline std::vector<std::size_t> frames_of(Bytes journal) {
  using namespace ss::recording;
  std::vector<std::size_t> places;
  std::size_t at = journal_head_size;
  while (at < journal.size()) {
    const FoundFrame found = read_frame(journal.subspan(at), {});
    if (found.state != FrameState::whole) break;
    places.push_back(at);
    at += found.size;
  }
  places.push_back(std::min(at, journal.size()));
  return places;
}

/// Sets a byte of a frame's content and mends its checksum, removes a frame, or doubles it.
inline void change_frame(std::vector<std::byte>& journal, std::size_t place, std::uint8_t value) {
  using namespace ss::recording;
  const auto places = frames_of(journal);
  if (places.size() < 2) return;
  const std::size_t which = place / 8 % (places.size() - 1);
  const auto begin = journal.begin() + static_cast<std::ptrdiff_t>(places[which]);
  const auto end = journal.begin() + static_cast<std::ptrdiff_t>(places[which + 1]);
  std::vector<std::byte> frame(begin, end);
  if (place % 8 == 0) {
    journal.erase(begin, end);
  } else if (place % 8 == 1) {
    journal.insert(end, frame.begin(), frame.end());
  } else {
    frame[frame_head_size + place / 32 % (frame.size() - frame_head_size)] = std::byte{value};
    std::vector<std::byte> again;
    const std::size_t at = begin_frame(again);
    again.insert(again.end(), frame.begin() + frame_head_size, frame.end());
    end_frame(again, at);
    std::ranges::copy(again, begin);
  }
}

/// Within 4 KiB of the file's begin or of its end: between them is a header's unused room.
inline void set_byte(std::vector<std::byte>& bytes, std::size_t place, std::uint8_t value) {
  if (bytes.empty()) return;
  const std::size_t from = place % 4096 % bytes.size();
  bytes[place < 32768 ? from : bytes.size() - 1 - from] = std::byte{value};
}

/// Does what the input says: four bytes say one thing, of which most is damage; whether any was.
inline bool change(Files& files, const Recorded& run, Reader& reader) {
  bool is_damaged = false;
  while (!reader.rest().empty() && !files.empty()) {
    const unsigned what = reader.byte();
    std::size_t place = reader.byte();
    place += 256U * reader.byte();
    const std::uint8_t value = reader.byte();
    is_damaged |= what % 8 != 4;
    const auto file =
        std::next(files.begin(), static_cast<std::ptrdiff_t>(what / 8 % files.size()));
    std::vector<std::byte>& bytes = file->second;
    switch (what % 8) {
      case 0: files.erase(file); break;
      case 1: bytes.resize(place % (bytes.size() + 1)); break;
      case 2: bytes.resize(bytes.size() + place % 512, std::byte{value}); break;
      case 3: {
        // Another segment's number.
        std::string name = file->first;
        if (const std::size_t digit = name.find_last_of("0123456789"); digit != std::string::npos)
          name[digit] = static_cast<char>('0' + value % 10);
        files[name] = std::vector(bytes);
        break;
      }
      case 4: seal(files, run, 1 + value % segments); break;
      case 5: change_frame(bytes, place, value); break;
      default: set_byte(bytes, place, value);
    }
  }
  return is_damaged;
}

/// What is read of a record.
using Told = std::vector<std::string>;
inline Told told(const ss::Recording& run) {
  Told records;
  for (const ss::Record& record : run) {
    check_record(run, record);
    std::string text = record.name() + " " + std::to_string(record.sequence());
    expect_errors([&] { text += " " + to_string(record.value()); });
    records.push_back(std::move(text));
  }
  return records;
}

inline void runs(Bytes bytes) {
  static const RunFolder folder("runs");
  Reader reader(bytes);
  const Recorded& run = recorded((reader.byte() & 1U) != 0);
  const unsigned states = reader.byte();
  Files files = chosen_files(run, states);
  write_files(folder.path(), files);
  std::optional<ss::Recording> followed;
  // What is mapped may not become shorter.
  expect_errors(
      [&] { followed.emplace(folder.path(), ss::RecordingOptions{.access = ss::Access::read}); });
  const bool is_damaged = change(files, run, reader);
  write_files(folder.path(), files);
  std::optional<Told> of_follower;
  if (followed) expect_errors([&] { followed->refresh(), of_follower = told(*followed); });

  std::optional<Told> before;
  expect_errors([&] {
    const ss::Recording found(folder.path());
    before = told(found);
    for (const std::string& note : found.notes()) require(!note.empty(), "a note says nothing");
  });
  require(is_damaged || !goes_on(states) || !followed || of_follower == before,
          "who follows a run reads another");
  expect_errors([&] { static_cast<void>(ss::verify_recording(folder.path())); });
  std::optional<ss::RecoveryReport> report;
  expect_errors([&] { report = ss::recover_recording(folder.path()); });
  if (followed) expect_errors([&] { followed->refresh(), told(*followed); });
  require(is_damaged || files.empty() || (before && report), "a run in order is refused");
  if (!report) return;
  const ss::RecoveryReport again = ss::recover_recording(folder.path());
  require(again.repaired == 0 && again.recovered == 0, "what was recovered is recovered again");
  if (!before) return;
  const Told after = told(ss::Recording(folder.path()));
  if (!report->is_lossy()) require(after == *before, "recovery changes what is read");
  // Who reads records that are not sealed trusts their bytes, and ends where a journal is damaged;
  // who recovers them looks at checksums, and behind the damage, where forged numbers may be.
  const bool is_told = std::ranges::any_of(report->losses, [](const std::string& loss) {
    return loss.find(": the data of ") != std::string::npos ||
           loss.find("no later than those of segments before it") != std::string::npos;
  });
  for (const std::string& record : *before)
    require(is_told || std::ranges::find(after, record) != after.end(),
            "recovery loses what could be read, and does not say so");
}

}  // namespace fuzz
