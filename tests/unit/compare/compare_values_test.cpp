/// \file
/// What single values, and what is no number, make of a comparison.
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include <safestructures/tools/statistics.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::Value;

/// Of which the second is no bool where it is 2.
ss::Tensor flags(std::uint8_t second) {
  const std::array<std::uint8_t, 2> bytes = {1, second};
  return ss::Tensor::borrow(ss::DType::BOOL, ss::Shape{2}, std::as_bytes(std::span(bytes))).clone();
}

}  // namespace

TEST_CASE("floats that are not finite are tensors of one element") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto found_of = [](double a, double b) {
    return ss::compare(Value::dict({{"x", a}}), Value::dict({{"x", b}}));
  };
  const ss::Comparison found = found_of(nan, nan);
  CHECK(!found.is_equal());
  CHECK(found.differences() == 0);
  CHECK(found.coverage.nothing == 1);
  CHECK(found.rows.at(0).metrics->non_finite.nan_both == 1);
  CHECK(!found_of(HUGE_VAL, HUGE_VAL).is_equal());
  CHECK(found_of(HUGE_VAL, -HUGE_VAL).differences() == 1);
  CHECK(found_of(nan, 1).differences() == 1);
  std::ostringstream json;
  found_of(nan, HUGE_VAL).write_json(json);
  CHECK(
      json.str().find(
          R"("non_finite": {"nan_both": 0, "nan_only_a": 1, "nan_only_b": 0, "infinity_both": 0, )"
          R"("infinity_only_a": 0, "infinity_only_b": 1, "infinity_signs": 0, )"
          R"("nan_infinity": 1})") != std::string::npos);
  CHECK(found_of(1, 1).is_equal());
  CHECK(found_of(1, 1).coverage.values == 1);
}

TEST_CASE("a structure and a file are compared with either as the reference") {
  const std::array<float, 1> number = {1};
  const auto bytes = ss::save(Value::dict({{"x", 1}}),
                              {.extra_tensors = {{"more", ss::Tensor::of<float>(number)}}});
  const ss::Document file = ss::Document::from_bytes(bytes, nullptr);
  const Value structure = Value::dict({{"x", 1}, {"y", 2}});
  const auto verdict_at = [](const ss::Comparison& found, const std::string& path) {
    for (const ss::ComparisonRow& row : found.rows)
      if (row.path == path) return row.verdict;
    return ss::Verdict::equal;
  };
  const ss::Comparison from_file = ss::compare(file, structure);
  CHECK(from_file.differences() == 3);  // Two, and the number of entries.
  CHECK(verdict_at(from_file, "more") == ss::Verdict::only_a);
  CHECK(verdict_at(from_file, "/y") == ss::Verdict::only_b);
  const ss::Comparison to_file = ss::compare(structure, file);
  CHECK(to_file.differences() == 3);
  CHECK(verdict_at(to_file, "more") == ss::Verdict::only_b);
  CHECK(verdict_at(to_file, "/y") == ss::Verdict::only_a);
}

TEST_CASE("a complex is compared as its two parts, each as a float is") {
  using Complex = std::complex<double>;
  const auto found_of = [](Complex a, Complex b, const ss::CompareOptions& options = {}) {
    return ss::compare(Value::dict({{"x", a}}), Value::dict({{"x", b}}), options);
  };
  CHECK(found_of({1, 2}, {1, 2}).is_equal());
  CHECK(found_of({1, 2}, {1, 2}).coverage.values == 1);
  CHECK(found_of({0.0, 0.0}, {0.0, -0.0}).is_equal());
  const ss::Comparison close = found_of({1, 2 + 1e-9}, {1, 2});
  CHECK(close.is_equal());
  CHECK(close.rows.at(0).verdict == ss::Verdict::close);
  CHECK(close.rows.at(0).metrics->tolerance == ss::default_tolerance(ss::DType::F64));
  CHECK(close.coverage.tensors == 1);
  const ss::Comparison other = found_of({1, 2.5}, {1, 2});
  CHECK(other.differences() == 1);
  CHECK(ss::to_string(other.rows.at(0).shape) == "[2]");
  CHECK(other.rows.at(0).metrics->beyond == 1);
  CHECK(other.rows.at(0).metrics->worst->index == 1);
  CHECK(found_of({1, 2.5}, {1, 2}, {.atol = 0.5}).is_equal());
  CHECK(found_of({1, 2.5}, {1, 2}, {.rtol = 0.25}).is_equal());
  CHECK(!found_of({1, 2 + 1e-9}, {1, 2}, {.rtol = 0, .atol = 0}).is_equal());
  // What is not finite.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(found_of({nan, 1}, {nan, 1}).is_equal());
  CHECK(found_of({nan, 1}, {nan, 1}).rows.at(0).metrics->non_finite.nan_both == 1);
  CHECK(!found_of({nan, nan}, {nan, nan}).is_equal());
  CHECK(found_of({nan, nan}, {nan, nan}).coverage.nothing == 1);
  CHECK(found_of({1, HUGE_VAL}, {1, HUGE_VAL}).is_equal());
  CHECK(found_of({1, HUGE_VAL}, {1, -HUGE_VAL}).differences() == 1);
  CHECK(found_of({1, nan}, {1, 1}).differences() == 1);
  // Another run excuses it as it does a float.
  const ss::CompareOptions beside{
      .noise = {std::make_shared<const Value>(Value::dict({{"x", Complex(1.5, 2)}}))}};
  CHECK(found_of({1.25, 2}, {1, 2}, beside).is_equal());
}

TEST_CASE("items of sets are compared exactly, zeros too") {
  const auto found_of = [](double a, double b) {
    return ss::compare(Value::set({a}), Value::set({b}));
  };
  CHECK(found_of(1, 1).is_equal());
  CHECK(!found_of(1, 1 + 1e-9).is_equal());
  CHECK(!found_of(0.0, -0.0).is_equal());
}

TEST_CASE("an error in the numbers of a file names the file that they are in, and the place") {
  const ss::test::Folder folder;
  const auto dict = [](const char* name, const ss::Tensor& tensor) {
    return Value::dict({{name, tensor}});
  };
  const auto keep = [&](const std::string& name, const char* key, const ss::Tensor& tensor,
                        ss::Keep kept = ss::Keep::full) {
    if (kept == ss::Keep::full) ss::save_file(dict(key, tensor), folder / name);
    for (const bool is_part : {false, true}) {
      ss::ActivationRecorder recorder(folder / ((is_part ? "part-" : "run-") + name),
                                      {.rules = {{.keep = kept}}});
      if (is_part) recorder.record("a/" + std::string(key), dict("part", tensor));
      else recorder.record(key, tensor);
      recorder.close();
    }
  };
  keep("good", "x", flags(1));
  keep("bad", "x", flags(2));
  keep("renamed", "y", flags(1));
  keep("row", "x", flags(1).reshape({1, 2}));
  keep("column", "x", flags(2).reshape({2, 1}));
  keep("known", "x", flags(1), ss::Keep::statistics);
  const std::string rest =
      ": element 1 cannot be converted from BOOL to F64: expected byte 0 or 1, found byte 2. The "
      "tensor holds no truth values: read it as U8.";
  struct Case {
    std::string good;
    std::string bad;
    bool has_files = true;
  };
  for (const Case& one : std::vector<Case>{
           {"good", "bad"}, {"renamed", "bad"}, {"row", "column"}, {"known", "bad", false}})
    for (const bool is_b : {false, true}) {
      CAPTURE(one.good);
      CAPTURE(is_b);
      const auto error = [&](const std::string& start) {
        const auto good = folder / (start + one.good);
        const auto bad = folder / (start + one.bad);
        const std::string text = ss::test::error_of(
            [&] { return ss::compare_files(is_b ? good : bad, is_b ? bad : good); });
        const std::string begin = "out_of_range: " + bad.string() + ": at ";
        CHECK(text.starts_with(begin));
        CHECK(text.ends_with(rest));
        return text.substr(begin.size(), text.size() - begin.size() - rest.size());
      };
      if (one.has_files) CHECK(error("") == "/x");
      CHECK(error("run-") == "x");
      CHECK(error("part-") == "a/x/part");
    }
  // Structures have no file.
  CHECK(ss::test::error_of([&] {
          return ss::compare(dict("x", flags(2)),
                             Value::dict({{"x", ss::statistics_value(flags(1))}}));
        }) == "out_of_range: at /x" + rest);
  // A further run is neither side.
  const auto floats = [](float last) { return ss::Tensor::own(std::vector<float>{1, last}); };
  keep("one", "x", floats(2));
  keep("other", "x", floats(3));
  for (const auto& one : {std::pair("", "/x"), std::pair("part-", "a/x/part")}) {
    const auto run = [&](const char* name) { return folder / (std::string(one.first) + name); };
    CHECK(ss::test::error_of([&] {
            return ss::compare_files(run("one"), run("other"), {.noise = {run("bad")}});
          }) == "out_of_range: " + run("bad").string() + ": at " + one.second + rest);
  }
  const auto structure = std::make_shared<const Value>(dict("x", flags(2)));
  CHECK(ss::test::error_of([&] {
          return ss::compare_files(folder / "one", folder / "other", {.noise = {structure}});
        }) == "out_of_range: at /x" + rest);
}

TEST_CASE("a record that is not a tensor makes an error without a number, which is not NaN") {
  const ss::test::Folder folder;
  for (const std::string name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    recorder.record("x", std::vector<float>{1, 2});
    recorder.record("label", name);
    recorder.record("y", std::vector<float>(name == "a" ? 2U : 3U));
    recorder.close();
  }
  std::ostringstream text;
  ss::compare_files(folder / "a", folder / "b").write_text(text);
  CHECK(text.str().find(
            "\nmakes an error: label, step 0 call 0: different value, but 0 in x, which was "
            "recorded before it and has another shape\n") != std::string::npos);
  CHECK(text.str().find("NaN") == std::string::npos);
}
