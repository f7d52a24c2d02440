/// \file
/// A recording whose file the system cannot read.
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>

#include "support/errors.hpp"
#include "support/failing_system.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using failing_system::script;
using ss::test::error_of;
using ss::test::Folder;

constexpr std::size_t records = 5000;

/// Opens a recording while `times` reads fail, after `skip` that succeed.
std::string error_of_opening(const std::filesystem::path& run, int skip, int times) {
  script = {};
  script.call = "read";
  script.skip = skip;
  script.times = times;
  script.error = EIO;
  const std::string error = error_of([&] {
    const ss::Recording opened(run, {.access = ss::Access::read});
    CHECK(opened.size() == records);
    CHECK(opened[records - 1].name() == "y");
    return 0;
  });
  script = {};
  return error;
}

}  // namespace

TEST_CASE("columns that cannot be read together are read alone, and the one that fails is named") {
  const Folder folder;
  script = {};
  const std::filesystem::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(run);
    for (std::size_t i = 1; i < records; ++i) recorder.record("x", i);
    recorder.record("y", 1);
    recorder.close();
  }
  const std::string file = "cannot_read: " + (run / "segment-000001.safetensors").string();
  const std::string problem = ": cannot read the file: Input/output error (byte ";
  // The length of the header and the header.
  CHECK(error_of_opening(run, 0, 1).starts_with(file + problem + "0)"));
  CHECK(error_of_opening(run, 1, 1).starts_with(file + problem + "8)"));
  CHECK(error_of_opening(run, 2, 1) == "no error");
  CHECK(error_of_opening(run, 2, 2).starts_with(file + ": at sequence" + problem));
}
