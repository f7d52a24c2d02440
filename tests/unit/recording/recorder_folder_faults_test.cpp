/// \file
/// The folders that a recorder makes are as durable as what it writes into them.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>

#include "support/errors.hpp"
#include "support/failing_system.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using failing_system::script;
using ss::test::error_of_void;
using ss::test::Folder;

/// How many folders are synchronised when a recorder is made.
std::size_t synchronised_for(const std::filesystem::path& run, ss::Durability durability) {
  script = {};
  script.tracing = true;
  const ss::ActivationRecorder recorder(run, {.durability = durability});
  const auto count = std::ranges::count(script.trace, "fsync");
  script = {};
  return static_cast<std::size_t>(count);
}

}  // namespace

TEST_CASE("a recorder that is to be durable synchronises the parent of each folder that it makes") {
  for (const ss::Durability durability : {ss::Durability::segment, ss::Durability::batch}) {
    const Folder folder;
    CHECK(synchronised_for(folder / "run", durability) == 1);
    CHECK(synchronised_for(folder / "run", durability) == 0);
    CHECK(synchronised_for(folder / "a" / "b" / "run", durability) == 3);
    CHECK(synchronised_for(folder / "a" / "b" / "other", durability) == 1);
  }
  const Folder folder;
  CHECK(synchronised_for(folder / "a" / "run", ss::Durability::none) == 0);
}

TEST_CASE("a folder whose parent cannot be synchronised is an error that names the parent") {
  const Folder folder;
  for (int skip = 0; skip < 2; ++skip) {
    const std::filesystem::path made = folder / std::to_string(skip);
    script = {};
    script.call = "fsync";
    script.skip = skip;
    script.times = 1;
    script.error = EIO;
    const std::string parent = (skip == 0 ? made : made.parent_path()).string();
    CHECK(error_of_void([&] {
            const ss::ActivationRecorder recorder(made / "run",
                                                  {.durability = ss::Durability::segment});
          }) == "cannot_write: " + parent +
                    ": cannot synchronise the folder with the disk: Input/output error. The disk "
                    "or the network failed; see the system's log.");
    script = {};
  }
}
