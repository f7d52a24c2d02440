/// \file
/// The limits of recordings: what passes one is no damage, and a recorder's files are within its
/// own.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>

#include "support/cost.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::Folder;
using Lines = std::vector<std::string>;

constexpr std::uint64_t records = 8;

/// The folder of a recorder that died after records of every kind.
void leave_unsealed(const Folder& folder, const fs::path& run) {
  ss::ActivationRecorder recorder(folder / "live");
  using Parts = std::map<std::string, std::vector<std::vector<float>>>;
  for (std::uint64_t i = 0; i < records / 4; ++i) {
    recorder.record("row", std::vector<float>{1, 2});
    recorder.record("tensor", ss::Tensor::own(std::vector<float>(50'000), {5, 2, 5000}));
    recorder.record("structure", Parts{{"a", {{1}, {2}}}});
    recorder.record("number", std::uint64_t{12345});
  }
  recorder.flush();
  fs::copy(folder / "live", run);
}

std::map<std::string, std::string> files_in(const fs::path& run) {
  std::map<std::string, std::string> files;
  for (const std::string& name : Folder::names_in(run)) {
    std::ifstream file(run / name, std::ios::binary);
    files[name] = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  return files;
}

struct Case {
  std::string name;
  ss::Limits limits;
  std::string problem;  ///< What recovery and reading say of it.
};

const std::vector<Case> cases = {
    {"rank", {.rank = 2}, "a tensor has too many dimensions: expected at most 2 (Limits::rank)"},
    {"depth", {.depth = 2}, "a structure is nested too deeply: expected at most 2 levels"},
    {"tensors", {.tensors = 1}, "there are too many tensors: expected at most 1 (Limits::tensors)"},
    {"nodes", {.nodes = 5}, "a structure has too many nodes: expected at most 5 (Limits::nodes)"},
    {"digits", {.digits = 4}, "an int has too many digits: expected at most 4 (Limits::digits)"},
};

}  // namespace

TEST_CASE("data beyond a limit stay as they are, and are recovered with a higher limit") {
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Folder folder;
    const fs::path run = folder / "run";
    leave_unsealed(folder, run);
    const auto before = files_in(run);
    for (int i = 0; i < 2; ++i) {
      const ss::RecoveryReport report = ss::recover_recording(run, {.limits = one.limits});
      CHECK(report.recovered == 0);
      CHECK(report.notes == Lines());
      REQUIRE(report.losses.size() == 1);
      CAPTURE(report.losses[0]);
      CHECK(report.losses[0].starts_with("segment-000001.part: stays as it is: "));
      CHECK(report.losses[0].find(one.problem) != std::string::npos);
      CHECK(files_in(run) == before);
    }
    CHECK(ss::recover_recording(run).recovered == records);
    CHECK(ss::Recording(run).problems() == Lines());
  }
}

TEST_CASE("a recording that passes a limit is an Error of that limit, sealed or not") {
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Folder folder;
    const fs::path run = folder / "run";
    leave_unsealed(folder, run);
    const auto read = [&] {
      const ss::Recording recording(run, {.limits = one.limits});
      for (const ss::Record& record : recording) static_cast<void>(record.value());
    };
    for (const char* const file : {"segment-000001.", "segment-000001.safetensors"}) {
      const std::string error = ss::test::error_of_void(read);
      CAPTURE(error);
      CHECK(error.starts_with("limit_exceeded: " + (run / file).string()));
      CHECK(error.find(one.problem) != std::string::npos);
      static_cast<void>(ss::recover_recording(run));
    }
  }
}

TEST_CASE("a recorder's files have no larger headers and journals than its own limits allow") {
  const ss::Limits limits{.header_bytes = 60'000};
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.header_bytes = 1 << 20, .limits = limits});
  const auto record = [&](int i) {
    recorder.record("a" + std::to_string(i), std::vector<std::vector<int>>{{i}, {2 * i}});
  };
  for (int i = 0; i < 1000; ++i) record(i);
  recorder.flush();
  fs::copy(folder / "run", folder / "killed");
  recorder.close();
  CHECK(ss::Recording(folder / "run", {.limits = limits}).size() == 1000);
  const ss::RecoveryReport report = ss::recover_recording(folder / "killed", {.limits = limits});
  CHECK(report.losses == Lines());
  CHECK(ss::Recording(folder / "killed", {.limits = limits}).size() == 1000);
}

TEST_CASE("recovering a structure takes time in proportion to its tensors") {
  const Folder folder;
  int runs = 0;
  ss::test::check_linear(
      "recover",
      [&](std::size_t count) {
        const fs::path live = folder / ("live" + std::to_string(++runs));
        const fs::path run = folder / ("run" + std::to_string(runs));
        ss::ActivationRecorder recorder(live);
        recorder.record("all", std::vector<std::vector<float>>(count, std::vector<float>(1)));
        recorder.flush();
        fs::copy(live, run);
        CHECK(ss::recover_recording(run).recovered == 1);
      },
      2000);
}

TEST_CASE(
    "recovering many segments that contradict each other takes about as long as opening them") {
  const Folder folder;
  const fs::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(run, {.segment_bytes = 64});
    for (int i = 0; i < 2; ++i) recorder.record("x", std::vector<float>(16));
  }
  fs::remove(run / "segment-000002.safetensors");
  constexpr std::size_t segments = 8000;
  for (std::size_t i = 1; i < segments; ++i)
    fs::create_hard_link(run / "segment-000001.safetensors",
                         run / fmt::format("segment-{:06}.safetensors", 2 * i + 1));
  // One before it is missing, it says another number, and its record is no later.
  constexpr std::size_t problems = 3 * (segments - 1);
  ss::test::check_ratio(
      "recover", [&] { CHECK(ss::Recording(run).problems().size() == problems); },
      [&] { CHECK(ss::recover_recording(run).losses.size() == problems); }, 2.5);
}
