/// \file
/// What a recorder keeps: rules, statistics, slices, precision, limits, drops; what it watches for.
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/statistics.hpp>

#include "support/about.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::test::error_of_void;
using ss::test::Folder;

std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

/// "name/step" of every record.
std::string kept(const std::filesystem::path& folder) {
  std::string text;
  for (const ss::Record& record : ss::Recording(folder))
    text += (text.empty() ? "" : " ") + record.name() + "/" + std::to_string(record.step());
  return text;
}

}  // namespace

TEST_CASE("the first rule that a name matches decides") {
  struct Case {
    std::string name;
    std::vector<ss::KeepRule> rules;
    std::string kept;
  };
  const std::vector<Case> cases = {
      {"none", {}, "a/0 b.c/0 a/1 b.c/1 a/2 b.c/2 a/3 b.c/3"},
      {"glob", {{.names = "b*"}}, "b.c/0 b.c/1 b.c/2 b.c/3"},
      {"whole name", {{.names = "b"}}, ""},
      {"regex", {{.names = "[ab](\\.c)?", .regex = true, .first = 1}}, "a/0 b.c/0"},
      {"part of a regex", {{.names = "c", .regex = true}}, ""},
      {"every", {{.names = "a", .every = 2}}, "a/0 a/2"},
      {"first", {{.every = 2, .first = 1}}, "a/0 b.c/0"},
      {"nothing", {{.names = "a", .keep = ss::Keep::none}, {}}, "b.c/0 b.c/1 b.c/2 b.c/3"},
      {"predicate",
       {{.names = "?",
         .predicate =
             [](const ss::RecordCall& call) {
               return call.call == 3 && call.name == "a" && call.step == 3;
             }}},
       "a/3"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run", {.rules = one.rules});
    for (int step = 0; step < 4; ++step) {
      recorder.step(step);
      recorder.record("a", step);
      const auto scope = recorder.scope("b");
      recorder.record("c", step);
    }
    recorder.close();
    CHECK(kept(folder / "run") == one.kept);
    const ss::RecordCounts all = recorder.report().all;
    CHECK(all.calls == 8);
    CHECK(all.kept + all.filtered == 8);
  }
}

TEST_CASE("a name too long for a regular expression is refused, if one is asked for") {
  const Folder folder;
  ss::ActivationRecorder recorder(
      folder / "run", {.rules = {{.names = "x*"}, {.names = "(((a|b)))*c?", .regex = true}}});
  const std::string longest(512, 'a');
  recorder.record(longest, 1);
  recorder.record(std::string(100'000, 'x'), 1);
  for (const std::size_t size : {std::size_t{513}, std::size_t{1'000'000}})
    CHECK(error_of_void([&] { recorder.record(std::string(size, 'a'), 1); }) ==
          "limit_exceeded: " + (folder / "run").string() +
              ": the name of a record is too long for a regular expression of the rules: expected "
              "at most 512 bytes, found " +
              std::to_string(size) + " bytes, \"" + std::string(40, 'a') +
              "\" and more. Shorten the name, or put a rule with a glob for it first.");
  recorder.close();
  CHECK(recorder.report().all == ss::RecordCounts{.calls = 2, .kept = 2});
}

TEST_CASE("the glob of a rule must match the whole name, in characters") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.rules = {{.names = "a"}, {.names = "?"}}});
  recorder.record(std::string("a\0b", 3), 1);
  recorder.record("\xC3\xA9", 2);
  recorder.close();
  CHECK(kept(folder / "run") == "\xC3\xA9/0");
}

TEST_CASE("invalid rules are refused") {
  const auto error_of_rule = [](const ss::KeepRule& rule) {
    const Folder folder;
    return error_of_void(
        [&] { ss::ActivationRecorder recorder(folder / "run", {.rules = {{}, rule}}); });
  };
  CHECK(error_of_rule({.names = "(", .regex = true})
            .starts_with(
                "invalid_argument: at /rules/1: a rule's names are not a regular expression: "
                "expected one in the syntax of ECMAScript, found \"(\": "));
  CHECK(error_of_rule({.every = 0}) ==
        "invalid_argument: at /rules/1: a rule keeps no step: expected KeepRule::every above 0, "
        "found 0.");
  CHECK(error_of_rule({.keep = ss::Keep::slice}) ==
        "invalid_argument: at /rules/1: a rule keeps a slice but names none: expected "
        "KeepRule::slices, found no slice.");
  CHECK(error_of_rule({.slices = ss::parse_slices("0")}) ==
        "invalid_argument: at /rules/1: a rule names a slice that it does not keep: expected "
        "Keep::slice, found Keep::full.");
}

TEST_CASE("a watch for a magnitude that no number has is refused") {
  const auto error_of_watch = [](double magnitude) {
    const Folder folder;
    return error_of_void([&] {
      ss::ActivationRecorder recorder(folder / "run", {.watch = {.magnitude = magnitude}});
    });
  };
  const std::string refused =
      "invalid_argument: at /watch/magnitude: the magnitude of a watch is not valid: expected a "
      "number, 0 or larger, found ";
  CHECK(error_of_watch(-1) == refused + "-1.");
  CHECK(error_of_watch(std::numeric_limits<double>::quiet_NaN()) == refused + "nan.");
  CHECK(error_of_watch(0) == "no error");
}

TEST_CASE("by rule a slice, another precision or statistics are kept") {
  const Folder folder;
  ss::ActivationRecorder recorder(
      folder / "run",
      {.rules = {{.names = "slice", .keep = ss::Keep::slice, .slices = ss::parse_slices("1, :2")},
                 {.names = "half", .precision = ss::Precision::f16},
                 {.names = "statistics", .keep = ss::Keep::statistics},
                 {}}});
  const std::vector<float> values = numbers(6);
  const ss::Tensor tensor = ss::Tensor::of<float>(values, {2, 3});
  for (const char* name : {"slice", "half", "full"}) recorder.record(name, tensor);
  recorder.record("statistics", ss::Value::list({tensor, "text"}));
  CHECK(error_of_void([&] { recorder.record("slice", std::vector<float>(3)); }) ==
        "invalid_argument: " + (folder / "run").string() +
            ": at /slice: more slices than dimensions: expected at most 1 for shape [3], found 2.");
  recorder.close();
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 4);
  CHECK(run[0].as<std::vector<float>>() == std::vector<float>{3, 4});
  CHECK(run[0].kept() == ss::Keep::slice);
  CHECK(run[1].tensor().dtype() == ss::DType::F16);
  CHECK(run[1].kept() == ss::Keep::full);
  CHECK(run[2].tensor() == tensor);
  CHECK(run[3].value() == ss::Value::list({ss::statistics_value(tensor), "text"}));
  CHECK(run[3].kept() == ss::Keep::statistics);
  CHECK(recorder.report().all.failed == 1);
}

TEST_CASE("a limit on all bytes is kept and reported") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.max_bytes = 10'000});
  for (int i = 0; i < 10; ++i) recorder.record("x", numbers(500));
  // Numbers are no bytes of tensors and texts.
  recorder.record("small", 1);
  recorder.close();
  const ss::RecorderReport report = recorder.report();
  CHECK(report.names.at("x") == ss::RecordCounts{.calls = 10, .kept = 5, .limited = 5});
  CHECK(report.names.at("small").kept == 1);
  CHECK(report.bytes == 10'000);
  CHECK(ss::to_string(report) ==
        "6 of 11 records kept, 5 beyond the limit\n"
        "x: 5 of 10 records kept, 5 beyond the limit");
  ss::RecorderReport other;
  other.all = {.calls = 1, .failed = 1};
  other.names = {{"x", other.all}};
  other.error = "x is full";
  CHECK(ss::to_string(other) ==
        "0 of 1 record kept, 1 failed\nx: 0 of 1 record kept, 1 failed\nx is full");
  CHECK(ss::test::without_run(ss::Recording(folder / "run").about()) ==
        R"({"version": 2, "segment": 1, "closed": true, )"
        R"("counts": {"calls": 11, "kept": 6, "limited": 5}, )"
        R"("left_out": {"x": {"calls": 10, "kept": 5, "limited": 5}}})");
}

TEST_CASE("bytes are those of the tensors and texts that are kept, and of nothing else") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run",
                                  {.rules = {{.names = "left out", .keep = ss::Keep::none}, {}}});
  const auto bytes_with = [&](const char* name, const auto& value) {
    recorder.record(name, value);
    return recorder.report().bytes;
  };
  CHECK(bytes_with("tensor", std::vector<float>{1}) == 4);
  CHECK(bytes_with("text", std::string("12345")) == 9);
  CHECK(bytes_with("number", 1.5) == 9);
  CHECK(bytes_with("list", std::vector<std::string>{"a", "bc"}) == 12);
  CHECK(bytes_with("bytes", std::vector<std::byte>(7)) == 19);
  CHECK(bytes_with("left out", numbers(100)) == 19);
  // Text that is not UTF-8, which is found out in the background: it is not kept.
  recorder.record("bad", std::string("\xff"));
  CHECK_THROWS_AS(recorder.flush(), ss::Error);
  CHECK(recorder.report().bytes == 19);
}

TEST_CASE("a predicate that throws loses the call that it was asked about") {
  const Folder folder;
  const auto predicate = [](const ss::RecordCall& call) {
    if (call.call == 1) throw std::runtime_error("no");
    return true;
  };
  ss::ActivationRecorder recorder(folder / "run", {.rules = {{.predicate = predicate}}});
  recorder.record("x", 0);
  CHECK_THROWS_WITH(recorder.record("x", 1), "no");
  recorder.record("x", 2);
  recorder.close();
  CHECK(recorder.report().all == ss::RecordCounts{.calls = 3, .kept = 2, .failed = 1});
  CHECK(kept(folder / "run") == "x/0 x/0");
}

TEST_CASE("a limit on all bytes holds for statistics that take more than their numbers") {
  const Folder folder;
  std::vector<float> large(std::size_t{4} << 20U);
  const std::uint64_t bytes = large.size() * sizeof(float) + 1000;
  // The large one fills the memory until it is written.
  ss::ActivationRecorder recorder(
      folder / "run",
      {.memory = bytes, .when_full = ss::WhenFull::thin, .max_bytes = bytes + 1000});
  recorder.record("large", std::move(large));
  for (int i = 0; i < 10; ++i) recorder.record("small", numbers(100));
  recorder.close();
  const ss::RecorderReport report = recorder.report();
  CHECK(report.bytes <= bytes + 1000);
  CHECK(report.names.at("large").kept == 1);
  // Numbers are kept as they are once the large one is written.
  CHECK(report.names.at("small").limited >= 5);
  CHECK(report.all.kept + report.all.limited == 11);
}

TEST_CASE("where the memory is full, records wait, are dropped or thinned out") {
  static constexpr std::uint64_t count = 2000;
  const auto record_all = [](const std::filesystem::path& folder, ss::WhenFull when_full) {
    ss::ActivationRecorder recorder(folder, {.memory = 40'000, .when_full = when_full});
    const std::vector<float> values = numbers(5000);
    for (std::uint64_t i = 0; i < count; ++i) recorder.record("x", values);
    recorder.close();
    const ss::RecorderReport report = recorder.report();
    CHECK(report.all.calls == count);
    CHECK(report.all.kept + report.all.dropped == count);
    CHECK(report.written == report.all.kept);
    const ss::Recording run(folder);
    CHECK(run.size() == report.all.kept);
    std::uint64_t thinned = 0;
    for (const ss::Record& record : run) {
      if (record.kept() == ss::Keep::statistics) ++thinned;
      CHECK((record.kept() == ss::Keep::statistics
                 ? record.value() == ss::statistics_value(ss::Tensor::of<float>(values))
                 : record.as<std::vector<float>>() == values));
    }
    CHECK(thinned == report.all.thinned);
    return report.all;
  };
  const Folder folder;
  CHECK(record_all(folder / "block", ss::WhenFull::block).kept == count);
  CHECK(record_all(folder / "drop", ss::WhenFull::drop).dropped > 0);
  CHECK(record_all(folder / "thin", ss::WhenFull::thin).thinned > 0);
}

TEST_CASE("a record larger than the memory is kept all the same") {
  const Folder folder;
  for (const ss::WhenFull when_full : {ss::WhenFull::block, ss::WhenFull::drop}) {
    const std::filesystem::path run = folder / std::to_string(static_cast<int>(when_full));
    ss::ActivationRecorder recorder(run, {.memory = 10, .when_full = when_full});
    recorder.record("x", numbers(1000));
    recorder.close();
    CHECK(ss::Recording(run)[0].as<std::vector<float>>() == numbers(1000));
  }
}

TEST_CASE("a watch names record and place of the first bad number") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  struct Case {
    ss::Watch watch;
    std::vector<float> found;
  };
  for (const auto& [watch, expected] :
       std::vector<Case>{{{.magnitude = 1e5}, {nan, infinity, -2e5F}},
                         {{}, {nan, infinity}},
                         {{.nan = false}, {infinity}},
                         {{.nan = false, .infinity = false, .magnitude = 1e5}, {-2e5F}}}) {
    const Folder folder;
    std::vector<ss::WatchFinding> findings;
    ss::Watch used = watch;
    used.found = [&](const ss::WatchFinding& finding) { findings.push_back(finding); };
    ss::ActivationRecorder recorder(folder / "run", {.watch = used});
    recorder.step(4);
    const auto scope = recorder.scope("net");
    recorder.record("good", numbers(100));
    for (const float bad : {nan, infinity, -2e5F}) {
      std::vector<float> values = numbers(5000);
      values[4321] = bad;
      recorder.record("bad",
                      ss::Value::dict({{"ok", 1}, {"w", ss::Tensor::own(std::move(values))}}));
    }
    recorder.close();
    REQUIRE(findings.size() == expected.size());
    for (std::size_t i = 0; i < findings.size(); ++i) {
      CHECK(findings[i].name == "net.bad");
      CHECK(findings[i].path == "/w");
      CHECK(findings[i].step == 4);
      CHECK(findings[i].index == 4321);
      CHECK((std::isnan(expected[i]) ? std::isnan(findings[i].value)
                                     : findings[i].value == static_cast<double>(expected[i])));
    }
  }
}

TEST_CASE("a watch looks at all of a record of which a slice is kept") {
  const Folder folder;
  std::vector<std::uint64_t> found;
  ss::ActivationRecorder recorder(
      folder / "run",
      {.rules = {{.keep = ss::Keep::slice, .slices = ss::parse_slices(":2")}},
       .watch = {.found = [&](const ss::WatchFinding& finding) { found.push_back(finding.index); },
                 .magnitude = 5}});
  recorder.record("x", numbers(10));
  recorder.close();
  CHECK(found == std::vector<std::uint64_t>{6});
  CHECK(ss::Recording(folder / "run")[0].as<std::vector<float>>() == numbers(2));
}

TEST_CASE("a watch looks at single floats and at complex numbers, wherever they are") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  using Complex = std::complex<double>;
  std::vector<std::complex<float>> waves(5000, {1e5F, -1e5F});
  const ss::Value good_waves = ss::Tensor::own(std::vector(waves));
  waves[4321] = {1, -2e5F};
  struct Case {
    ss::Value value;
    std::string path;  // Empty: nothing is found.
    double found = 0;
    std::uint64_t index = 0;
  };
  const std::vector<Case> cases = {
      {nan, "/", nan},
      {-infinity, "/", -infinity},
      {2e5, "/", 2e5},
      {1e5, ""},
      {200'000, ""},
      {ss::Tensor::own(std::vector<int>{200'000}), ""},
      {ss::Value::list({1, "nan", ss::Value::structure("Step", {{"loss", nan}})}), "/2/loss", nan},
      {ss::Value::dict({{"a", 1.5}, {"b", infinity}}), "/b", infinity},
      {Complex(1, nan), "/", nan},
      {ss::Value::tuple({Complex(-2e5, 1)}), "/0", -2e5},
      {Complex(1e5, 1e5), ""},
      {good_waves, ""},
      {ss::Value::list({ss::Tensor::own(std::move(waves))}), "/0", -2e5, 4321},
  };
  const Folder folder;
  std::vector<ss::WatchFinding> findings;
  const auto keep_finding = [&](const ss::WatchFinding& finding) { findings.push_back(finding); };
  ss::ActivationRecorder recorder(folder / "run",
                                  {.watch = {.found = keep_finding, .magnitude = 1e5}});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    findings.clear();
    recorder.record("x", cases[i].value);
    REQUIRE(findings.size() == (cases[i].path.empty() ? 0 : 1));
    if (findings.empty()) continue;
    CHECK(findings[0].path == cases[i].path);
    CHECK(findings[0].index == cases[i].index);
    CHECK((std::isnan(cases[i].found) ? std::isnan(findings[0].value)
                                      : findings[0].value == cases[i].found));
  }
  findings.clear();
  recorder.record("loss", std::numeric_limits<float>::quiet_NaN());
  CHECK(findings.size() == 1);
}

TEST_CASE("a watch that throws stops the program after the record is taken over") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run",
                                  {.watch = {.found = [](const ss::WatchFinding& finding) {
                                     throw std::runtime_error(finding.name + finding.path);
                                   }}});
  try {
    recorder.record("x", std::vector<double>{std::numeric_limits<double>::infinity()});
    FAIL("nothing was thrown");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()) == "x/");
  }
  recorder.close();
  CHECK(ss::Recording(folder / "run").size() == 1);
  CHECK(recorder.report().all == ss::RecordCounts{.calls = 1, .kept = 1});
}
