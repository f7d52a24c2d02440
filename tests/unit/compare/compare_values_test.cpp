/// \file
/// What single values, and what is no number, make of a comparison.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
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
  CHECK(found_of(1, 1).is_equal());
  CHECK(found_of(1, 1).coverage.values == 1);
}

TEST_CASE("an error in the numbers of a file names the file that they are in") {
  const ss::test::Folder folder;
  for (const std::uint8_t second : {std::uint8_t{1}, std::uint8_t{2}}) {
    const std::string name = std::to_string(second);
    ss::save_file(Value::dict({{"x", flags(second)}}), folder / name);
    ss::ActivationRecorder recorder(folder / ("run-" + name));
    recorder.record("x", flags(second));
    recorder.close();
  }
  const auto error = [&](const std::string& a, const std::string& b) {
    return ss::test::error_of([&] { return ss::compare_files(folder / a, folder / b); });
  };
  const std::string rest =
      ": element 1 cannot be converted from BOOL to F64: expected byte 0 or 1, found byte 2. The "
      "tensor holds no truth values: read it as U8.";
  for (const auto& [one, other] : {std::pair("1", "2"), std::pair("2", "1")}) {
    CHECK(error(one, other) == "out_of_range: " + (folder / "2").string() + ": at /x" + rest);
    CHECK(error("run-" + std::string(one), "run-" + std::string(other)) ==
          "out_of_range: " + (folder / "run-2").string() + ": at x" + rest);
  }
}

TEST_CASE("a record that is no tensor makes an error that has no number, and is no NaN") {
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
  CHECK(text.str().find("\nmakes an error: label, step 0 call 0: another value, 0 in x, which was "
                        "recorded before it and has another shape\n") != std::string::npos);
  CHECK(text.str().find("NaN") == std::string::npos);
}
