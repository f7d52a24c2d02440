/// \file
/// A record that cannot be saved costs itself alone, is told of and counted.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>

#include "recording/recorder/capture.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/memory_source.hpp"
#include "support/stack.hpp"

namespace ss = safestructures;
using ss::test::error_of_void;
using ss::test::Folder;
using ss::test::stack_factor;
using ss::test::with_stack;

TEST_CASE("a faulty record is lost, reported and counted; the others are kept") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  const std::string error = "invalid_utf8: " + (folder / "run").string() + ": at /bad: ";
  recorder.record("before", 1);
  recorder.record("bad", ss::Value(std::string("\xFF")));
  CHECK(error_of_void([&] { recorder.flush(); }).starts_with(error));
  recorder.record("after", 2);
  CHECK(error_of_void([&] { recorder.close(); }).starts_with(error));
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 2);
  CHECK(run[0].name() == "before");
  CHECK(run[1].name() == "after");
  const ss::RecorderReport report = recorder.report();
  CHECK(report.all == ss::RecordCounts{.calls = 3, .kept = 2, .failed = 1});
  CHECK(report.names.at("bad") == ss::RecordCounts{.calls = 1, .failed = 1});
  CHECK(report.written == 2);
}

TEST_CASE("a deep value is kept, however small the stack of the closing thread") {
  for (const bool is_deep : {false, true}) {
    CAPTURE(is_deep);
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run");
    recorder.record("flat", std::vector<float>{1, 2});
    ss::Value value(ss::Tensor::own(std::vector<float>{3, 4}));
    for (int i = 0; is_deep && i < 490; ++i) value = ss::Value::list({std::move(value)});
    recorder.record("value", value);
    with_stack(64 * stack_factor,
               [&] { CHECK(error_of_void([&] { recorder.close(); }) == "no error"); });
    const ss::Recording run(folder / "run");
    REQUIRE(run.size() == 2);
    CHECK(run[1].value() == value);
  }
}

TEST_CASE("records that cannot be saved are counted in the segment that is sealed with them") {
  for (const int others : {0, 1, 2}) {
    CAPTURE(others);
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run");
    const std::string error = "invalid_utf8: " + (folder / "run").string() + ": at /bad: ";
    for (int i = 0; i < others; ++i) recorder.record("good", i);
    recorder.record("bad", ss::Value(std::string("\xFF")));
    CHECK(error_of_void([&] { recorder.close(); }).starts_with(error));
    const ss::Recording run(folder / "run");
    CHECK(run.size() == static_cast<std::size_t>(others));
    CHECK(run.problems().empty());
    CHECK(run.about().find("\"bad\": {\"calls\": 1, \"failed\": 1}") != std::string::npos);
    CHECK(ss::recover_recording(folder / "run").is_clean());
  }
}

TEST_CASE("a record that is thinned and cannot be saved is failed, and no thinned one") {
  // Whether it is thinned depends on the thread in the background, mostly.
  for (int i = 0; i < 20; ++i) {
    const Folder folder;
    ss::ActivationRecorder recorder(
        folder / "run", {.memory = std::uint64_t{1} << 20U, .when_full = ss::WhenFull::thin});
    const std::string error = "invalid_utf8: " + (folder / "run").string() + ": at /bad/1: ";
    recorder.record("large", std::vector<float>(262'000, 1));
    recorder.record("bad", ss::Value::list({ss::Tensor::own(std::vector<float>(2000, 1)), "\xFF"}));
    CHECK(error_of_void([&] { recorder.close(); }).starts_with(error));
    CHECK(recorder.report().all == ss::RecordCounts{.calls = 2, .kept = 1, .failed = 1});
  }
}

TEST_CASE("an error of a record's statistics names the record and its part") {
  const Folder folder;
  const std::string run = (folder / "run").string();
  const std::byte wrong{7};
  const ss::Tensor mask = ss::Tensor::borrow(ss::DType::BOOL, {1}, std::span(&wrong, 1));
  const std::string problem =
      ": element 0 cannot be converted from BOOL to F64: expected byte 0 or 1, found byte 7. The "
      "tensor holds no truth values: read it as U8.";
  {
    ss::ActivationRecorder recorder(run, {.rules = {{.names = "*", .keep = ss::Keep::statistics}}});
    recorder.record("decoder.mask", mask);
    CHECK(error_of_void([&] { recorder.flush(); }) ==
          "out_of_range: " + run + ": at /decoder.mask" + problem);
  }
  {
    ss::ActivationRecorder recorder(run + ".parts",
                                    {.rules = {{.names = "*", .keep = ss::Keep::statistics}}});
    recorder.record("decoder", std::vector<ss::Tensor>{mask});
    CHECK(error_of_void([&] { recorder.flush(); }) ==
          "out_of_range: " + run + ".parts: at /decoder/0" + problem);
  }
}

TEST_CASE("a tensor that cannot be read is an error with its place in the record") {
  const Folder folder;
  const auto source =
      std::make_shared<ss::test::MemorySource>("weights.bin", std::vector<std::byte>(400));
  source->fail_from(0);
  const ss::Value tensor = ss::Tensor::deferred(ss::DType::F32, {100}, source, 0, "");
  struct Case {
    std::string name;
    ss::RecorderOptions options;
  };
  const std::vector<Case> cases = {
      {"full", {}},
      {"slice", {.rules = {{.keep = ss::Keep::slice, .slices = ss::parse_slices(":2")}}}},
      {"statistics", {.rules = {{.keep = ss::Keep::statistics}}}},
      {"watch", {.watch = {.found = [](const ss::WatchFinding&) {}}}},
      {"thin", {.memory = 1, .when_full = ss::WhenFull::thin}},
  };
  for (const Case& one : cases)
    for (const bool is_part : {false, true}) {
      CAPTURE(one.name);
      CAPTURE(is_part);
      ss::ActivationRecorder recorder(folder / (one.name + (is_part ? "-part" : "")), one.options);
      // What waits for the writer fills the memory.
      recorder.record("first", std::vector<float>(100'000));
      CHECK(error_of_void([&] {
              recorder.record("a/b", is_part ? ss::Value::list({1, tensor}) : tensor);
            }) == "cannot_read: weights.bin: at /a~1b" + std::string(is_part ? "/1" : "") +
                      ": the server is gone.");
      CHECK(recorder.report().names.at("a/b") == ss::RecordCounts{.calls = 1, .failed = 1});
    }
}

TEST_CASE("a tensor of too many dimensions and one in a key are errors with their places") {
  const Folder folder;
  const auto error = [&](const char* name, const ss::Value& value) {
    ss::ActivationRecorder recorder(folder / name, {.limits = {.rank = 2}});
    recorder.record("a/b", value);
    return error_of_void([&] { recorder.close(); });
  };
  ss::Value deep = ss::Tensor::own<float>({1}, {1, 1, 1});
  const ss::Value flat = ss::Tensor::own<float>({1});
  const std::string many =
      ": a tensor has too many dimensions: expected at most 2 (Limits::rank), found 3.";
  CHECK(error("1", ss::Value::dict({{"x", flat}, {"y", ss::Value::list({1, deep})}})) ==
        "limit_exceeded: " + (folder / "1").string() + ": at /a~1b/y/1" + many);
  deep.set_tensor_name("mine");
  CHECK(error("2", deep) == "limit_exceeded: " + (folder / "2").string() + ": at /a~1b" + many);
  const std::string key =
      ": a key of a dict that holds a tensor cannot be recorded. Record the tensor as a value.";
  CHECK(error("3", ss::Value::dict(
                       {{"x", flat}, {ss::Value::tuple({1, ss::Value::custom("T", flat)}), 2}})) ==
        "invalid_argument: " + (folder / "3").string() + ": at /a~1b/(1, T)/1" + key);
}

TEST_CASE("a record that is larger than a header may be says how large, and what to do") {
  const Folder folder;
  const std::string run = (folder / "run").string();
  ss::ActivationRecorder recorder(run, {.limits = {.header_bytes = 100'000}});
  recorder.record("vocabulary", std::list<int>(5000, 7));
  const std::string error = error_of_void([&] { recorder.flush(); });
  CHECK(error.starts_with(
      "limit_exceeded: " + run +
      ": at /vocabulary: a record needs a header that is too large: expected at most "
      "100000 bytes (Limits::header_bytes), found "));
  CHECK(
      error.ends_with(" bytes. Record numbers as a tensor instead of a list, or record the parts "
                      "of the structure one by one."));
}

TEST_CASE("the keys of dicts are of the texts and of the memory that records may take") {
  const std::string text(2000, 'k');
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.max_bytes = 5000});
  recorder.record("key", std::map<std::string, int>{{text, 1}});
  recorder.record("value", std::map<int, std::string>{{1, text}});
  recorder.record("both", std::map<std::string, std::string>{{text, text}});
  recorder.close();
  CHECK(recorder.report().bytes == 4000);
  CHECK(recorder.report().names.at("both") == ss::RecordCounts{.calls = 1, .limited = 1});

  std::map<std::string, int> many;
  for (int i = 0; i < 1000; ++i) many.emplace(text + std::to_string(i), i);
  CHECK(ss::recording::captured_size(ss::Value::from(many), false).memory > 2'000'000);
}

TEST_CASE("the removal of a folder under a recorder is reported") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("large", std::vector<float>(std::size_t{1} << 19U, 1));
  recorder.flush();
  std::filesystem::remove_all(folder / "run");
  CHECK(
      error_of_void([&] { recorder.close(); }) ==
      "cannot_write: " + (folder / "run" / "segment-000001.part").string() +
          ": the file is gone: it or its folder was removed or renamed while it was written. Leave "
          "the folder alone until the recorder is closed.");
}
