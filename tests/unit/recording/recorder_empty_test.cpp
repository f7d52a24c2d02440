/// \file
/// What a recorder leaves that kept nothing.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/verify.hpp>
#include "support/about.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::test::Folder;

}  // namespace

TEST_CASE("a recorder that nobody called or closed leaves no segment") {
  const Folder folder;
  for (int i = 0; i < 2; ++i) {
    // The folder can be used again.
    const ss::ActivationRecorder recorder(folder / "run");
  }
  CHECK(ss::Recording(folder / "run").empty());
  CHECK_FALSE(ss::Recording(folder / "run").is_closed());
  CHECK(Folder::names_in(folder / "run") == std::vector<std::string>{"recording.lock"});
}

TEST_CASE("a recording without a record says that it was closed, and what became of the calls") {
  const Folder folder;
  const ss::RecorderOptions nothing = {.rules = {{.names = "nothing"}}};
  {
    ss::ActivationRecorder recorder(folder / "closed", nothing);
    recorder.record("x", 1);
    recorder.close();
    CHECK(recorder.report().segments == 1);
    ss::ActivationRecorder destroyed(folder / "destroyed", nothing);
    destroyed.record("x", 1);
    ss::ActivationRecorder unused(folder / "unused");
    unused.close();
  }
  const std::string filtered =
      R"({"version": 2, "segment": 1, "closed": true, "counts": {"calls": 1, "filtered": 1}, )"
      R"("left_out": {"x": {"calls": 1, "filtered": 1}}})";
  const std::string unused =
      R"({"version": 2, "segment": 1, "closed": true, "counts": {"calls": 0}, "left_out": {}})";
  for (const std::string name : {"closed", "destroyed", "unused"}) {
    CAPTURE(name);
    const std::string& about = name == "unused" ? unused : filtered;
    const ss::Recording run(folder / name);
    CHECK(run.empty());
    CHECK(run.is_closed());
    CHECK(ss::test::without_run(run.about()) == about);
    CHECK(run.problems().empty());
    const std::filesystem::path file = folder / name / "segment-000001.safetensors";
    CHECK(ss::verify_file(file).has_checksums);
    CHECK(std::filesystem::file_size(file) < 4096);
    CHECK(ss::recover_recording(folder / name).is_clean());
  }
}
