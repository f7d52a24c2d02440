/// \file
/// The system fails while a recording is written: the program is told, and keeps what was whole.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/errors.hpp"
#include "support/failing_system.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using failing_system::script;
using ss::test::error_of_void;
using ss::test::Folder;

constexpr std::uint64_t records = 30;

std::vector<float> value_of(std::uint64_t i) {
  return std::vector<float>(100 + i, static_cast<float>(i));
}

struct Outcome {
  std::uint64_t flushed = 0;  // Records that flush() waited for.
  int errors = 0;             // Calls that threw.
};

/// Records and goes on whatever fails, as a program that catches does.
Outcome record_all(const std::filesystem::path& folder, ss::Durability durability) {
  Outcome outcome;
  const auto guarded = [&](const auto& call) {
    try {
      call();
    } catch (const ss::Error&) {
      ++outcome.errors;
    }
  };
  guarded([&] {
    ss::ActivationRecorder recorder(folder, {.segment_bytes = 3000, .durability = durability});
    for (std::uint64_t i = 0; i < records; ++i) {
      guarded([&] { recorder.record("x", value_of(i)); });
      if (i % 4 == 3) guarded([&] { outcome.flushed = recorder.flush(); });
    }
    const ss::RecorderReport before = recorder.report();
    CHECK(before.all.calls == records);
    guarded([&] { recorder.close(); });
    const ss::RecorderReport report = recorder.report();
    CHECK(report.all.kept + report.all.failed == records);
    CHECK(report.written == report.all.kept);
    CHECK(report.error.empty() == (outcome.errors == 0));
  });
  return outcome;
}

void check_records(const std::filesystem::path& folder, std::uint64_t least) {
  const ss::Recording run(folder);
  CHECK(run.size() >= least);
  for (std::uint64_t i = 0; i < run.size(); ++i) {
    CHECK(run[i].sequence() == i);
    CHECK(run[i].as<std::vector<float>>() == value_of(i));
  }
}

}  // namespace

TEST_CASE("whatever call of the system fails, what was flushed before is whole") {
  int faults = 0;
  for (const std::string_view call :
       {"create", "write", "fallocate", "ftruncate", "fsync", "rename", "close", "open"}) {
    for (int skip = 0;; skip += skip < 12 ? 1 : 7) {
      CAPTURE(call);
      CAPTURE(skip);
      const Folder folder;
      script = {};
      script.call = call;
      script.skip = skip;
      script.times = 1;
      script.error = call == "fallocate" || call == "write" ? ENOSPC : EIO;
      const Outcome outcome = record_all(folder / "run", ss::Durability::batch);
      const bool has_failed = script.times == 0;
      script = {};
      if (!has_failed) break;
      ++faults;
      // Closing a folder that was synchronised may fail: nothing depends on it.
      if (call != "close") CHECK(outcome.errors > 0);
      if (!std::filesystem::exists(folder / "run" / "recording.lock")) continue;
      check_records(folder / "run", outcome.flushed);
      const ss::RecoveryReport report = ss::recover_recording(folder / "run");
      CHECK_FALSE(report.is_lossy());
      check_records(folder / "run", outcome.flushed);
      for (const std::string& name : Folder::names_in(folder / "run"))
        if (name.ends_with(".safetensors"))
          CHECK_NOTHROW(static_cast<void>(ss::verify_file(folder / "run" / name)));
    }
  }
  CHECK(faults > 60);
}

TEST_CASE("disk space that cannot be reserved in advance is written to all the same") {
  for (const int error : {ENOSPC, EOPNOTSUPP}) {
    const Folder folder;
    script = {};
    script.call = "fallocate";
    script.skip = 1;  // The header's room, which is needed.
    script.times = 100;
    script.error = error;
    const std::vector<float> large(std::size_t{1} << 20U, 3);
    {
      ss::ActivationRecorder recorder(folder / "run");
      for (int i = 0; i < 3; ++i) recorder.record("x", large);
      recorder.close();
    }
    CHECK(script.times < 100);
    script = {};
    const ss::Recording run(folder / "run");
    REQUIRE(run.size() == 3);
    CHECK(run[2].as<std::vector<float>>() == large);
  }
}

TEST_CASE("a full disk ends the recording, never the program") {
  const Folder folder;
  script = {};
  std::uint64_t flushed = 0;
  {
    ss::ActivationRecorder recorder(folder / "run");
    for (std::uint64_t i = 0; i < 10; ++i) recorder.record("x", value_of(i));
    flushed = recorder.flush();
    script.call = "write";
    script.times = 1;
    script.error = ENOSPC;
    recorder.record("x", value_of(10));
    const std::string error = "cannot_write: " + (folder / "run" / "segment-000001.part").string() +
                              ": cannot write the file: No space left on device (byte ";
    CHECK(error_of_void([&] { recorder.flush(); }).starts_with(error));
    // Told once; then records are counted.
    recorder.record("x", value_of(11));
    CHECK(recorder.report().names.at("x") ==
          ss::RecordCounts{.calls = 12, .kept = 10, .failed = 2});
    CHECK(error_of_void([&] { recorder.flush(); }).starts_with(error));
    CHECK(recorder.report().error.find("No space left on device") != std::string::npos);
    CHECK(recorder.report().segments == 1);
    // The destructor says nothing.
  }
  script = {};
  CHECK(flushed == 10);
  check_records(folder / "run", 10);
  CHECK(ss::Recording(folder / "run").size() == 10);
  CHECK(ss::recover_recording(folder / "run").is_clean());
}

TEST_CASE("a file that the system lets grow no further is sealed with what is whole") {
  const Folder folder;
  script = {};
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // The room of the header, and some data.
    const rlimit limit = {300'000, 300'000};
    ::signal(SIGXFSZ, SIG_IGN);
    int code = ::setrlimit(RLIMIT_FSIZE, &limit) == 0 ? 0 : 2;
    try {
      ss::ActivationRecorder recorder(folder / "run");
      for (std::uint64_t i = 0; i < 300; ++i) {
        recorder.record("x", value_of(i));
        if (i == 20) static_cast<void>(recorder.flush());
      }
      recorder.close();
      code = 3;
    } catch (const ss::Error& error) {
      if (error.code() != ss::ErrorCode::cannot_write) code = 4;
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(ss::recover_recording(folder / "run").is_clean());
  const ss::Recording run(folder / "run");
  CHECK(run.size() < 300);
  check_records(folder / "run", 21);
}

TEST_CASE("a forked process leaves its parent's recorder alone") {
  const Folder folder;
  script = {};
  std::optional<ss::ActivationRecorder> recorder(std::in_place, folder / "run");
  for (std::uint64_t i = 0; i < 5; ++i) recorder->record("x", value_of(i));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string error =
        "invalid_argument: a forked process cannot use its parent's recorder. Make a recorder with "
        "another folder in the new process.";
    const bool is_refused = error_of_void([&] { recorder->flush(); }) == error &&
                            error_of_void([&] { recorder->close(); }) == error;
    recorder.reset();
    ::_exit(is_refused ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  recorder->record("x", value_of(5));
  recorder->close();
  check_records(folder / "run", 6);
}

TEST_CASE("writes that transfer a few bytes at a time are continued") {
  const Folder folder;
  script = {};
  script.call = "write";
  script.times = 1'000'000;
  script.transfer = 1000;
  CHECK(record_all(folder / "run", ss::Durability::segment).errors == 0);
  script = {};
  check_records(folder / "run", records);
}
