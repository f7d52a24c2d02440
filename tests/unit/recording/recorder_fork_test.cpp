/// \file
/// A process that is forked while a recorder is open leaves the recording alone.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recover.hpp>

#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/numbered_records.hpp"

namespace ss = safestructures;
using ss::test::check_records;
using ss::test::error_of_void;
using ss::test::Folder;
using ss::test::value_of;

TEST_CASE("a forked process leaves its parent's recorder alone") {
  const Folder folder;
  std::optional<ss::ActivationRecorder> recorder(std::in_place, folder / "run");
  for (std::uint64_t i = 0; i < 5; ++i) recorder->record("x", value_of(i));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string error =
        "invalid_argument: a forked process cannot use its parent's recorder. Make a recorder with "
        "another folder in the new process.";
    const bool is_refused =
        error_of_void([&] { recorder->record("x", 1); }) == error &&
        error_of_void([&] { static_cast<void>(recorder->report()); }) == error &&
        error_of_void([&] { recorder->flush(); }) == error &&
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

TEST_CASE("the folder of a closed recorder is free while a forked process lives") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("x", value_of(0));
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(pipe[1]);
    char end = 0;
    ::_exit(::read(pipe[0], &end, 1) == 0 ? 0 : 1);  // Waits for the parent.
  }
  CHECK_THROWS_AS(static_cast<void>(ss::recover_recording(folder / "run")), ss::Error);
  recorder.close();
  CHECK(ss::recover_recording(folder / "run").is_clean());
  ::close(pipe[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  ::close(pipe[0]);
  check_records(folder / "run", 1);
}
