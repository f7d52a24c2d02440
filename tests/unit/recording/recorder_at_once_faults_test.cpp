/// \file
/// Which files a segment takes, and what is left of them where the system fails: few records are
/// written at once.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recover.hpp>

#include "support/errors.hpp"
#include "support/failing_system.hpp"
#include "support/folder.hpp"
#include "support/numbered_records.hpp"

namespace ss = safestructures;
using failing_system::script;
using ss::test::check_records;
using ss::test::error_of_void;
using ss::test::Folder;
using ss::test::value_of;

TEST_CASE("few records need one file, of which nothing is left where it cannot be written") {
  for (const std::string_view call : {"create", "write", "close", "rename"}) {
    CAPTURE(call);
    const Folder folder;
    script = {};
    ss::ActivationRecorder recorder(folder / "run");
    for (std::uint64_t i = 0; i < 10; ++i) recorder.record("x", value_of(i));
    script.call = call;
    script.times = 1;
    script.error = ENOSPC;
    const std::string error = error_of_void([&] { recorder.close(); });
    script = {};
    const std::string file = (folder / "run" / "recording.new").string();
    CHECK(error.starts_with("cannot_write: " + file + ": "));
    CHECK(error.find("No space left on device") != std::string::npos);
    CHECK(recorder.report().all == ss::RecordCounts{.calls = 10, .failed = 10});
    CHECK(recorder.report().written == 0);
    CHECK(Folder::names_in(folder / "run") == std::vector<std::string>{"recording.lock"});
    CHECK(ss::recover_recording(folder / "run").is_clean());
  }
}

TEST_CASE("a recording without records that cannot get its size is none") {
  const Folder folder;
  script = {};
  ss::ActivationRecorder recorder(folder / "run");
  script.call = "ftruncate";
  script.times = 1;
  script.error = ENOSPC;
  CHECK(error_of_void([&] { recorder.close(); })
            .starts_with("cannot_write: " + (folder / "run" / "recording.new").string() +
                         ": cannot cut the file to its size"));
  script = {};
  CHECK(Folder::names_in(folder / "run") == std::vector<std::string>{"recording.lock"});
}

TEST_CASE("what has its name is written, though the folder cannot be synchronised") {
  for (const bool is_flushed : {false, true}) {
    CAPTURE(is_flushed);
    const Folder folder;
    script = {};
    ss::ActivationRecorder recorder(folder / "run", {.durability = ss::Durability::segment});
    for (std::uint64_t i = 0; i < 10; ++i) recorder.record("x", value_of(i));
    if (is_flushed) static_cast<void>(recorder.flush());
    script.call = "fsync";
    script.skip = 1;  // Of the file.
    script.times = 1;
    script.error = EIO;
    CHECK(error_of_void([&] {
            recorder.close();
          }).find("the file is in place, but cannot synchronise its folder") != std::string::npos);
    script = {};
    CHECK(recorder.report().all == ss::RecordCounts{.calls = 10, .kept = 10});
    CHECK(recorder.report().written == 10);
    CHECK(recorder.report().segments == 1);
    check_records(folder / "run", 10);
  }
}

TEST_CASE("files that others made in the folder stay, and stop the recording") {
  for (const char* const name : {"segment-000001.journal", "segment-000001.part"}) {
    CAPTURE(name);
    const Folder folder;
    script = {};
    ss::ActivationRecorder recorder(folder / "run");
    std::ofstream(folder / "run" / name) << "theirs";
    recorder.record("x", 1);
    CHECK(error_of_void([&] { recorder.flush(); }) ==
          "cannot_write: " + (folder / "run" / name).string() +
              ": cannot create the file: File exists.");
    CHECK_THROWS_AS(recorder.close(), ss::Error);
    CHECK(Folder::names_in(folder / "run") == std::vector<std::string>{"recording.lock", name});
  }
}

TEST_CASE("few records are written with neither journal nor room, others with both") {
  for (const bool is_flushed : {false, true}) {
    CAPTURE(is_flushed);
    const Folder folder;
    script = {};
    script.tracing = true;
    {
      ss::ActivationRecorder recorder(folder / "run");
      for (std::uint64_t i = 0; i < 10; ++i) recorder.record("x", value_of(i));
      if (is_flushed) static_cast<void>(recorder.flush());
      recorder.close();
    }
    // The lock, and the segment; or its data and their journal.
    CHECK(script.create_modes.size() == (is_flushed ? 3 : 2));
    const auto is_reserving = [](const std::string& call) { return call.starts_with("fallocate"); };
    CHECK(std::ranges::any_of(script.trace, is_reserving) == is_flushed);
    script = {};
    const auto size = std::filesystem::file_size(folder / "run" / "segment-000001.safetensors");
    CHECK((size > 64 << 10) == is_flushed);
    check_records(folder / "run", 10);
  }
}
