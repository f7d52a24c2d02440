/// \file
/// A recording is read through a bounded number of open files.
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>

#include "recording/open_files.hpp"
#include "recording/segments/files.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::recording::OpenFiles;
using ss::test::error_of;
using ss::test::Folder;

constexpr int segments = 3 * static_cast<int>(OpenFiles::most);

std::vector<float> value_of(int i) { return std::vector<float>(5000, static_cast<float>(i)); }

/// Lets the process have so many files open for as long as it lives.
class FewFiles {
 public:
  explicit FewFiles(rlim_t most) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const rlimit few = {.rlim_cur = most, .rlim_max = before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;
  ~FewFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// Makes a folder the current one for as long as it lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) { fs::current_path(folder); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;
  ~CurrentFolder() { fs::current_path(before_); }

 private:
  fs::path before_ = fs::current_path();
};

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace

TEST_CASE("a recording has more segments than a process may have files") {
  const Folder folder;
  const fs::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(run, {.segment_bytes = 1, .header_bytes = 4096});
    for (int i = 0; i < segments; ++i) recorder.record("x", value_of(i));
    recorder.close();
  }
  REQUIRE(fs::exists(ss::recording::sealed_file(run, segments)));
  for (const ss::Access access : {ss::Access::read, ss::Access::map, ss::Access::memory}) {
    const std::size_t before = open_files();
    std::optional<FewFiles> few;
    few.emplace(before + OpenFiles::most + 8);
    std::optional<ss::Recording> read;
    read.emplace(run, ss::RecordingOptions{.access = access});
    REQUIRE(read->size() == segments);
    // Twice: those at the front were closed meanwhile.
    for (int i = 0; i < 2 * segments; ++i) {
      const ss::Record record = (*read)[static_cast<std::size_t>(i % segments)];
      CHECK(record.as<std::vector<float>>() == value_of(i % segments));
    }
    few.reset();
    if (access == ss::Access::read) CHECK(open_files() == before + OpenFiles::most);
    // A record stays when the recording is gone, and nothing else does.
    std::optional<ss::Record> kept = (*read)[0];
    read.reset();
    CHECK(kept->as<std::vector<float>>() == value_of(0));
    kept.reset();
    CHECK(open_files() == before);
  }
}

TEST_CASE("a recording that is followed has one file open for each segment at most") {
  const Folder folder;
  const fs::path run = folder / "run";
  ss::ActivationRecorder recorder(run);
  recorder.record("x", value_of(0));
  recorder.flush();
  const std::size_t before = open_files();
  ss::Recording read(run, {.access = ss::Access::read});
  for (int i = 1; i < segments; ++i) {
    recorder.record("x", value_of(i));
    recorder.flush();
    CHECK(read.refresh() == 1);
  }
  CHECK(open_files() <= before + OpenFiles::most);
  // What was read of the file before it got its name is there behind it.
  recorder.close();
  CHECK(read.refresh() == 0);
  CHECK(read.is_closed());
  for (int i = 0; i < segments; ++i)
    CHECK(read[static_cast<std::size_t>(i)].as<std::vector<float>>() == value_of(i));
}

TEST_CASE("a recording opened by a relative path is read from wherever the program is then") {
  const Folder folder;
  const fs::path run = folder / "run";
  ss::ActivationRecorder recorder(run, {.segment_bytes = 1, .header_bytes = 4096});
  for (int i = 0; i < segments; ++i) recorder.record("x", value_of(i));
  recorder.flush();
  for (const ss::Access access : {ss::Access::read, ss::Access::map}) {
    const CurrentFolder first(run.parent_path());
    ss::Recording read("run", {.access = access});
    REQUIRE(read.size() >= segments);
    const CurrentFolder other("/");
    const auto before = read.size();
    recorder.record("x", value_of(segments));
    recorder.flush();
    CHECK(read.refresh() == 1);
    for (std::size_t i = 0; i < segments; ++i)
      CHECK(read[i].as<std::vector<float>>() == value_of(static_cast<int>(i)));
    CHECK(read[before].as<std::vector<float>>() == value_of(segments));
    CHECK(read[0].file().is_absolute());
    CHECK(fs::equivalent(read[0].file(), ss::recording::sealed_file(run, 1)));
  }
}

TEST_CASE("a file that is another one when it is opened again is an error that names it") {
  const Folder folder;
  const auto path = [&](std::size_t i) { return folder / ("file" + std::to_string(i)); };
  const auto files = std::make_shared<OpenFiles>();
  std::vector<std::shared_ptr<const ss::Source>> sources;
  for (std::size_t i = 0; i <= OpenFiles::most; ++i) {
    std::ofstream(path(i)) << "text";
    sources.push_back(files->open(path(i)));
  }
  const auto read = [&] {
    std::byte byte{};
    sources[0]->read(1, {&byte, 1});
    return static_cast<char>(byte);
  };
  CHECK(read() == 'e');
  for (std::size_t i = 1; i <= OpenFiles::most; ++i)
    CHECK(sources[i]->view(0, 4).bytes.size() == 4);
  std::ofstream(path(0)) << "longer";
  CHECK(error_of(read) == "cannot_read: " + path(0).string() +
                              ": the file is no longer the one that was opened: expected 4 bytes, "
                              "found 6. Open the recording again.");
  fs::remove(path(0));
  CHECK(error_of(read) ==
        "cannot_open: " + path(0).string() +
            ": cannot open the file: No such file or directory. Check the path; relative paths "
            "start at the current folder.");
  // The others are not in the way of it, nor it in theirs.
  CHECK(sources[1]->view(0, 4).bytes.size() == 4);
}
