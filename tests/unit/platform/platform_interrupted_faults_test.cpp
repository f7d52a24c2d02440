/// \file
/// A program that a signal ends removes the files that are not complete, whichever moment it comes.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "platform/os.hpp"
#include "platform/temporary_file.hpp"
#include "support/failing_system.hpp"
#include "support/platform_folder.hpp"

using namespace safestructures::platform;

namespace {

/// Creates and removes files in a new process until a signal ends it, which has begun when this
/// returns.
pid_t create_files(const std::filesystem::path& target, unsigned threads) {
  int begun[2];
  REQUIRE(::pipe(begun) == 0);
  const pid_t child = ::fork();
  REQUIRE(child != -1);
  if (child == 0) {
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
    os::clean_up_at_signals();
    const auto create = [&] {
      for (;;) {
        TemporaryFile file;
        std::error_code error;
        file.create(target, 0600, error);
        if (error) ::_exit(1);
      }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(create);
    if (::write(begun[1], "", 1) != 1) ::_exit(1);
    create();
  }
  char byte = 0;
  CHECK(::read(begun[0], &byte, 1) == 1);
  ::close(begun[0]);
  ::close(begun[1]);
  return child;
}

}  // namespace

TEST_CASE("a signal leaves no file behind, even while the system creates it") {
  constexpr unsigned seed = 1;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (const unsigned threads : {1U, 3U}) {
    for (int round = 0; round < 60; ++round) {
      CAPTURE(threads);
      CAPTURE(round);
      const platform_test::Folder folder;
      const pid_t child = create_files(folder / "target", threads);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
      const int signal = round % 2 == 0 ? SIGTERM : SIGINT;
      REQUIRE(::kill(child, signal) == 0);
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      CHECK(WIFSIGNALED(status));
      CHECK(WTERMSIG(status) == signal);
      CHECK(folder.names().empty());
    }
  }
}

TEST_CASE("a signal ends a program whose file system does not answer") {
  const platform_test::Folder folder;
  const pid_t child = ::fork();
  REQUIRE(child != -1);
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    os::clean_up_at_signals();
    TemporaryFile whole;
    std::error_code error;
    whole.create(folder / "whole", 0600, error);
    failing_system::script.call = "create";
    failing_system::script.times = 1;
    failing_system::script.hangs = true;
    std::thread([&] { TemporaryFile().create(folder / "hangs", 0600, error); }).detach();
    for (;;) ::pause();
  }
  // Until the other thread has begun; otherwise this tests less.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  REQUIRE(::kill(child, SIGTERM) == 0);
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 600 && ended == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = ::waitpid(child, &status, WNOHANG);
  }
  if (ended == 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  REQUIRE(ended == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK(folder.names().empty());
}
