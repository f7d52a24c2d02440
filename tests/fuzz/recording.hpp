/// \file
/// A recording of one sealed segment: opened, iterated, verified, recovered, and compared with
/// itself and with one that is in order.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <safestructures/codecs/values.hpp>
#include <safestructures/codecs/vector.hpp>
#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/recording/verify_recording.hpp>

#include "fuzz/fuzz.hpp"
#include "recording/segments/files.hpp"

namespace fuzz {

/// A folder of this process, in memory where the system has such, until the process ends.
class RunFolder {
 public:
  explicit RunFolder(const std::string& kind) {
    const std::string name = "safestructures-fuzz-" + kind + "-" + std::to_string(::getpid());
    path_ = "/dev/shm/" + name;
    std::error_code error;
    create_directories(path_, error);
    if (!error) return;
    path_ = std::filesystem::temp_directory_path() / name;
    create_directories(path_);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline const ss::Recording& run_in_order() {
  static const RunFolder folder("in-order");
  static const auto run = [] {
    ss::ActivationRecorder recorder(folder.path());
    for (int step = 0; step < 2; ++step) {
      recorder.step(step);
      recorder.record("a", std::vector<float>{1, 2, 3, static_cast<float>(step)});
      recorder.record("b", ss::Value::list({1.5, "text", true}));
      recorder.record("c", std::vector<std::int64_t>{1, 2});
    }
    recorder.close();
    return std::make_unique<ss::Recording>(folder.path());
  }();
  return *run;
}

inline void check_record(const ss::Recording& run, const ss::Record& record) {
  expect_errors([&] { require(!to_string(record.value()).empty(), "a value prints as nothing"); });
  expect_errors([&] { static_cast<void>(record.tensor()); });
  expect_errors([&] { static_cast<void>(record.as<std::vector<float>>()); });
  const ss::Record* const found = run.find_call(record.name(), record.call());
  require(found != nullptr && found->name() == record.name() && found->call() == record.call(),
          "a record is not found by its name and call");
  require(run.find(record.name(), record.step()) != nullptr,
          "a record is not found by its name and step");
}

inline void check_comparison(const ss::Recording& a, const ss::Recording& b) {
  expect_errors([&] {
    const ss::Comparison found = ss::compare(a, b);
    std::ostringstream text;
    found.write_text(text);
    found.write_json(text);
    require(!text.str().empty(), "a comparison prints as nothing");
    require(&a != &b || found.differences() == 0, "a recording differs from itself");
  });
}

inline void recording(Bytes bytes) {
  static const RunFolder folder("run");
  const auto file = ss::recording::sealed_file(folder.path(), 1);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  expect_errors([&] {
    const ss::Recording run(folder.path());
    std::size_t count = 0;
    for (const ss::Record& record : run) {
      check_record(run, record);
      ++count;
    }
    require(count == run.size(), "a recording has another number of records than it says");
    require(run.names().size() <= count, "a name has no record");
    require(run.select("*").size() == count, "a record has a name that * does not match");
    for (const std::string& note : run.notes()) require(!note.empty(), "a note says nothing");
    check_comparison(run, run);
    check_comparison(run, run_in_order());
    check_comparison(run_in_order(), run);
  });
  const ss::VerifyRecordingReport verified = ss::verify_recording(folder.path());
  require(verified.is_fine() || verified.problems.front().find("segment-") != std::string::npos ||
              verified.problems.front().find(folder.path().string()) != std::string::npos,
          "a problem without a place");
  expect_errors([&] { static_cast<void>(ss::recover_recording(folder.path())); });
}

}  // namespace fuzz
