/// \file
/// The system fails while a recording is written: the program is told, and keeps what was whole.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
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
#include "support/numbered_records.hpp"

namespace {

namespace ss = safestructures;
using failing_system::script;
using ss::test::check_records;
using ss::test::error_of_void;
using ss::test::Folder;
using ss::test::value_of;

constexpr std::uint64_t records = 30;

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

/// Waits until so many records have failed, without asking for the error.
void await_failed(const ss::ActivationRecorder& recorder, std::uint64_t failed) {
  while (recorder.report().all.failed < failed)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void fill_disk() {
  script.call = "write";
  script.times = 1;
  script.error = ENOSPC;
}

std::string full_disk_error(const std::filesystem::path& folder) {
  return "cannot_write: " + (folder / "segment-000001.part").string() +
         ": cannot write the file: No space left on device (byte ";
}

// A str of a record that is named "bad".
constexpr std::string_view bad_text = "\xff";

std::string bad_text_error(const std::filesystem::path& folder) {
  return "invalid_utf8: " + folder.string() +
         ": at /bad: a string is not UTF-8: found a malformed sequence at byte 0 of the string. "
         "Store binary data as bytes, for example std::vector<std::byte>.";
}

/// Bytes of tensors that are alive, and the most that ever were.
struct Held {
  std::atomic<std::uint64_t> now{0};
  std::uint64_t most = 0;

  ss::Tensor tensor(std::size_t size) {
    most = std::max(most, now += size);
    auto* const bytes = new std::vector<std::byte>(size);
    const std::shared_ptr<const std::vector<std::byte>> owner(bytes, [this, size](const auto* one) {
      delete one;
      now -= size;
    });
    return ss::Tensor::share(ss::DType::F32, {size / sizeof(float)}, *owner, owner);
  }
};

}  // namespace

TEST_CASE("whatever system call fails, everything flushed before is complete") {
  int faults = 0;
  const auto fail = [&](std::string_view call, int times) {
    for (int skip = 0;; skip += skip < 12 ? 1 : 7) {
      CAPTURE(call);
      CAPTURE(skip);
      CAPTURE(times);
      const Folder folder;
      script = {};
      script.call = call;
      script.skip = skip;
      script.times = times;
      script.error = call == "fallocate" || call == "write" ? ENOSPC : EIO;
      const Outcome outcome = record_all(folder / "run", ss::Durability::batch);
      const bool has_failed = script.times < times;
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
  };
  for (const std::string_view call :
       {"create", "write", "fallocate", "ftruncate", "fsync", "rename", "close", "open"}) {
    fail(call, 1);
    fail(call, 1'000'000);
  }
  CHECK(faults > 120);
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
    fill_disk();
    recorder.record("x", value_of(10));
    const std::string error = full_disk_error(folder / "run");
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

TEST_CASE("the segment that a full disk ended says how many records it has") {
  const Folder folder;
  script = {};
  {
    ss::ActivationRecorder recorder(folder / "run");
    for (std::uint64_t i = 0; i < 10; ++i) recorder.record("x", value_of(i));
    recorder.flush();
    fill_disk();
    // What waits behind the batch that fails is lost as well.
    for (int i = 0; i < 100; ++i) {
      try {
        recorder.record("x", std::vector<float>(100'000));
      } catch (const ss::Error&) {
        break;
      }
    }
    CHECK_THROWS_AS(recorder.close(), ss::Error);
  }
  script = {};
  const ss::Recording run(folder / "run");
  CHECK(run.size() == 10);
  CAPTURE(run.about());
  CHECK(run.about().find("\"kept\": 10, \"failed\": ") != std::string::npos);
}

TEST_CASE("record itself throws what the writer failed with, once") {
  const Folder folder;
  script = {};
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("bad", bad_text);
  await_failed(recorder, 1);
  CHECK(error_of_void([&] { recorder.record("x", value_of(0)); }) ==
        bad_text_error(folder / "run"));
  CHECK_NOTHROW(recorder.record("x", value_of(1)));
  CHECK(error_of_void([&] { recorder.flush(); }) == bad_text_error(folder / "run"));
  CHECK(recorder.report().names.at("x") == ss::RecordCounts{.calls = 2, .kept = 1, .failed = 1});
  CHECK(error_of_void([&] { recorder.close(); }) == bad_text_error(folder / "run"));
  CHECK(ss::Recording(folder / "run").size() == 1);
}

TEST_CASE("the error that ends a recording is reported after an error of one record") {
  const Folder folder;
  script = {};
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("x", value_of(0));
  recorder.record("bad", bad_text);
  CHECK(error_of_void([&] { recorder.flush(); }) == bad_text_error(folder / "run"));
  fill_disk();
  recorder.record("x", value_of(1));
  await_failed(recorder, 2);
  const std::string error = full_disk_error(folder / "run");
  CHECK(error_of_void([&] { recorder.record("x", value_of(2)); }).starts_with(error));
  CHECK_NOTHROW(recorder.record("x", value_of(3)));
  CHECK(recorder.report().names.at("x") == ss::RecordCounts{.calls = 4, .kept = 1, .failed = 3});
  CHECK(error_of_void([&] { recorder.flush(); }).starts_with(error));
  CHECK(recorder.report().error.find("No space left on device") != std::string::npos);
  CHECK(error_of_void([&] { recorder.close(); }).starts_with(error));
  script = {};
  check_records(folder / "run", 1);
}

TEST_CASE("the error that ends a recording is reported in place of an unreported one of a record") {
  const Folder folder;
  script = {};
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("x", value_of(0));
  CHECK(recorder.flush() == 1);
  recorder.record("bad", bad_text);
  await_failed(recorder, 1);
  fill_disk();
  CHECK(error_of_void([&] { recorder.close(); }).starts_with(full_disk_error(folder / "run")));
  script = {};
  CHECK(recorder.report().error.find("No space left on device") != std::string::npos);
  CHECK_FALSE(ss::recover_recording(folder / "run").is_lossy());
  check_records(folder / "run", 1);
}

TEST_CASE("records that wait for a slow disk hold no more memory than they may, and one record") {
  constexpr std::uint64_t memory = std::uint64_t{1} << 20U;
  constexpr std::size_t size = std::size_t{16} << 10U;
  constexpr std::uint64_t count = 1000;
  for (const ss::WhenFull when_full :
       {ss::WhenFull::block, ss::WhenFull::drop, ss::WhenFull::thin}) {
    CAPTURE(static_cast<int>(when_full));
    const Folder folder;
    script = {};
    script.call = "write";
    script.times = 1'000'000;
    script.transfer = 100;
    Held held;
    ss::ActivationRecorder recorder(folder / "run", {.memory = memory, .when_full = when_full});
    for (std::uint64_t i = 0; i < count; ++i) recorder.record("x", held.tensor(size));
    recorder.close();
    script = {};
    CHECK(held.most <= memory + size);
    // Otherwise the disk was not slow, and the test says nothing.
    CHECK(held.most > memory - 2 * size);
    CHECK(held.now == 0);
    const ss::RecordCounts all = recorder.report().all;
    CHECK(all.kept + all.dropped == count);
    CHECK((when_full == ss::WhenFull::block) == (all.kept == count));
  }
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

TEST_CASE("under Durability::batch data are on the disk before their journal, and both at flush") {
  const auto calls_of_a_batch = [](ss::Durability durability) {
    const Folder folder;
    script = {};
    ss::ActivationRecorder recorder(folder / "run", {.durability = durability});
    recorder.record("x", value_of(0));
    recorder.flush();
    recorder.record("x", value_of(1));
    script.tracing = true;
    recorder.flush();
    std::vector<std::string> calls;
    for (const std::string& call : script.trace) calls.push_back(call.substr(0, call.find(' ')));
    script = {};
    return calls;
  };
  using Calls = std::vector<std::string>;
  CHECK(calls_of_a_batch(ss::Durability::batch) == Calls{"write", "fsync", "write", "fsync"});
  CHECK(calls_of_a_batch(ss::Durability::segment) == Calls{"write", "write"});
  CHECK(calls_of_a_batch(ss::Durability::none) == Calls{"write", "write"});
}
