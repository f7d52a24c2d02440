/// \file
/// A recorder may be killed at any moment: what it had written is recovered.
///
/// SAFESTRUCTURES_KILLS is how often (300), SAFESTRUCTURES_SEED what the moments follow from.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::test::Folder;

/// A number of the environment, or another.
std::uint64_t number_of(const char* name, std::uint64_t other) {
  const char* const text = std::getenv(name);
  return text == nullptr ? other : std::strtoull(text, nullptr, 10);
}

/// The value of record `i`: of all sizes and kinds, and no other's.
ss::Value value_of(std::uint64_t i) {
  std::vector<float> floats(i % 11 == 0 ? 0 : i * 37 % 3000);
  for (std::size_t k = 0; k < floats.size(); ++k) floats[k] = static_cast<float>(i + k);
  std::vector<std::uint8_t> bytes(i % 7, static_cast<std::uint8_t>(i));
  switch (i % 4) {
    case 0: return ss::Tensor::own(std::move(floats));
    case 1: return {i};
    case 2: return ss::Value::list({ss::Tensor::own(std::move(bytes)), std::to_string(i)});
    default:
      return ss::Value::structure("Both",
                                  {{"floats", ss::Tensor::own(std::move(floats))},
                                   {"doubles", ss::Tensor::own(std::vector<double>(i % 3, 0.5))}});
  }
}

std::string name_of(std::uint64_t i) { return "layer" + std::to_string(i % 5); }

/// What the recording process says as it goes on; it lives in memory that both see.
struct Told {
  std::atomic<std::uint64_t> flushed{0};
  std::atomic<bool> is_ready{false};
};

/// Records until it is killed, or until it has closed the recording.
[[noreturn]] void record_all(const std::filesystem::path& folder, std::mt19937_64 random,
                             Told& told) {
  try {
    ss::RecorderOptions options;
    options.segment_bytes = 1U << (10 + random() % 10);
    options.header_bytes = 1U << (10 + random() % 8);
    options.memory = 1U << (12 + random() % 10);
    options.checksums = random() % 4 != 0;
    const std::uint64_t flush_every = 1 + random() % 40;
    // Most go on until they are killed: how far the others come depends on the machine.
    constexpr std::uint64_t endless = 1'000'000;
    const std::uint64_t count = random() % 4 == 0 ? 50 + random() % 2000 : endless;
    ss::ActivationRecorder recorder(folder, options);
    told.is_ready = true;
    for (std::uint64_t i = 0; i < count; ++i) {
      recorder.step(static_cast<std::int64_t>(i / 5));
      recorder.record(name_of(i), value_of(i));
      if (i % flush_every == 0) told.flushed = recorder.flush();
    }
    recorder.close();
    told.flushed = count;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    ::_exit(1);
  }
  ::_exit(0);
}

/// What is wrong with a recording that should hold the records 0 to n - 1, n not below `flushed`.
std::string fault_of(const std::filesystem::path& folder, std::uint64_t flushed) {
  const ss::Recording run(folder);
  if (!run.problems().empty()) return run.problems().front();
  if (run.size() < flushed)
    return std::to_string(run.size()) + " records of " + std::to_string(flushed);
  for (std::uint64_t i = 0; i < run.size(); ++i) {
    const ss::Record& record = run[i];
    if (record.sequence() != i || record.name() != name_of(i) || record.call() != i / 5 ||
        record.step() != static_cast<std::int64_t>(i / 5))
      return "another record at " + std::to_string(i);
    if (!(record.value() == value_of(i))) return "other bytes at " + std::to_string(i);
  }
  for (const std::string& name : Folder::names_in(folder))
    if (name.ends_with(".safetensors")) static_cast<void>(ss::verify_file(folder / name));
  return {};
}

}  // namespace

TEST_CASE("every record that was flushed before the process was killed is recovered") {
  const std::uint64_t seed = number_of("SAFESTRUCTURES_SEED", std::random_device()());
  const std::uint64_t kills = number_of("SAFESTRUCTURES_KILLS", 300);
  CAPTURE(seed);
  void* const memory =
      ::mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::mt19937_64 random(seed);
  std::uint64_t repaired = 0;
  std::uint64_t flushed_records = 0;
  // On a busy machine many are killed before they wrote anything: then there are more of them.
  const auto is_enough = [&] { return repaired > kills / 4; };
  std::uint64_t round = 0;
  for (; round < kills || (!is_enough() && round < 4 * kills); ++round) {
    CAPTURE(round);
    const Folder folder;
    Told& told = *new (memory) Told;
    const std::mt19937_64 child_random(random());
    const std::uint64_t wait = random() % 30'000;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) record_all(folder / "run", child_random, told);
    while (!told.is_ready && ::waitpid(child, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(std::chrono::microseconds(wait));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(told.is_ready);
    const std::uint64_t flushed = told.flushed;
    flushed_records += flushed;
    // Read as it was left, and recovered, it is the same.
    CHECK(fault_of(folder / "run", flushed) == "");
    const std::size_t size = ss::Recording(folder / "run").size();
    const ss::RecoveryReport report = ss::recover_recording(folder / "run");
    CHECK_FALSE(report.is_lossy());
    for (const std::string& loss : report.losses) CAPTURE(loss);
    repaired += report.repaired;
    CHECK(fault_of(folder / "run", flushed) == "");
    CHECK(ss::Recording(folder / "run").size() == size);
    CHECK(ss::recover_recording(folder / "run").is_clean());
    for (const std::string& name : Folder::names_in(folder / "run"))
      CHECK((name == "recording.lock" || name.ends_with(".safetensors")));
  }
  ::munmap(memory, sizeof(Told));
  // Otherwise nothing was killed in the middle, and the test says nothing.
  CHECK(is_enough());
  CHECK(flushed_records > kills);
  if (std::getenv("SAFESTRUCTURES_KILLS") != nullptr)
    MESSAGE("seed ", seed, ", ", round, " kills, ", repaired, " segments sealed by recovery, ",
            flushed_records, " flushed records");
}
