/// \file
/// Complex numbers of double precision, for which there is no dtype, are compared with those of
/// single precision: a run is compared with the same one in higher precision.
#include <complex>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::Value;
using ss::Verdict;
using ss::test::Folder;

using Floats = std::vector<std::complex<float>>;
using Doubles = std::vector<std::complex<double>>;

const Doubles exact = {{1, 2}, {3, 1e-30}, {0, -5}};

Floats rounded(const Doubles& numbers, double error = 0) {
  Floats result;
  for (const std::complex<double>& number : numbers)
    result.emplace_back(std::complex<double>(number.real() + error, number.imag()));
  return result;
}

template <class Numbers>
Value value_of(const Numbers& numbers) {
  Value value = Value::from(std::map<std::string, Numbers>{{"x", numbers}});
  value.own();
  return value;
}

ss::ComparisonRow only_row(const ss::Comparison& found) {
  REQUIRE(found.rows.size() == 1);
  return found.rows[0];
}

}  // namespace

TEST_CASE("complex numbers of both precisions are compared as pairs of their parts") {
  for (const bool is_a_double : {false, true}) {
    CAPTURE(is_a_double);
    const auto compare = [&](const Value& single) {
      const Value pairs = value_of(exact);
      return is_a_double ? ss::compare(pairs, single) : ss::compare(single, pairs);
    };
    const ss::Comparison close = compare(value_of(rounded(exact)));
    CHECK(close.is_equal());
    const ss::ComparisonRow row = only_row(close);
    CHECK(row.shape == ss::Shape{3, 2});
    CHECK(row.detail == (is_a_double ? "F64 and C64" : "C64 and F64"));
    CHECK(row.metrics->count == 6);
    CHECK(row.metrics->max_absolute < 1e-37);
    CHECK(close.coverage.tensors == 1);

    const ss::ComparisonRow far = only_row(compare(value_of(rounded(exact, 0.25))));
    CHECK(far.verdict == Verdict::different);
    CHECK(far.metrics->beyond == 3);
    CHECK(far.metrics->max_absolute == 0.25);
    CHECK(far.metrics->worst->index % 2 == 0);
  }
}

TEST_CASE("complex numbers in files are compared alike, however they are stored and read") {
  const Folder folder;
  ss::save_file(value_of(rounded(exact)), folder / "a.safetensors");
  ss::save_file(value_of(exact), folder / "b.safetensors", {.precision = ss::Precision::preserve});
  ss::save_file(value_of(exact), folder / "f32.safetensors");
  ss::save_file(value_of(exact), folder / "b.msgpack", {.precision = ss::Precision::preserve});
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory})
    for (const char* const other : {"b.safetensors", "f32.safetensors", "b.msgpack"}) {
      CAPTURE(other);
      const ss::CompareOptions options{.access = access};
      const ss::Comparison found =
          ss::compare_files(folder / "a.safetensors", folder / other, options);
      CHECK(found.is_equal());
      CHECK(only_row(found).metrics->compared == 6);
      CHECK(ss::compare_files(folder / other, folder / "a.safetensors", options).is_equal());
    }
}

TEST_CASE("complex tensors are read block by block, never as a whole") {
  const Folder folder;
  const Doubles many(50'000, {1, 2});
  const auto open = [&](const Value& value, const char* name) {
    ss::save_file(value, folder / name, {.precision = ss::Precision::preserve});
    return ss::open(folder / name, {.access = ss::Access::read});
  };
  const ss::Document a = open(value_of(rounded(many)), "a.safetensors");
  const ss::Document b = open(value_of(many), "b.safetensors");
  CHECK(only_row(ss::compare(a, b)).metrics->compared == 100'000);
  CHECK(!a.root()["x"].tensor().is_loaded());
  CHECK(!b.root()["x"].tensor().is_loaded());
}

TEST_CASE("what are not the parts of as many complex numbers has another shape") {
  const Value single = value_of(rounded(exact));
  const auto shape_of = [&](const Value& other) {
    const ss::ComparisonRow row = only_row(ss::compare(single, other));
    CHECK(row.verdict == Verdict::shape);
    return row.detail;
  };
  CHECK(shape_of(value_of(Doubles{{1, 2}})) == "[3] and [1, 2]");
  // Real numbers are no parts.
  const Value real = Value::dict({{"x", ss::Tensor::own(std::vector<double>(6), {3, 2})}});
  CHECK(shape_of(real) == "[3] and [3, 2]");
}

TEST_CASE("a further run in double precision shows the noise of complex numbers") {
  const Value a = value_of(rounded(exact, 1e-3));
  const Value b = value_of(rounded(exact));
  const Value reference = value_of(exact);
  const auto noise_of = [](const Value& first, const Value& second, const Value& run) {
    const ss::Comparison found =
        ss::compare(first, second, {.noise = {std::make_shared<const Value>(run)}});
    CHECK(found.coverage.without_noise == 0);
    return only_row(found);
  };
  const ss::ComparisonRow precise = noise_of(a, b, reference);
  CHECK(precise.verdict == Verdict::different);
  REQUIRE(precise.noise);
  CHECK(precise.noise->is_precise);
  CHECK(precise.noise->rmse < 1e-30);
  const ss::ComparisonRow repeated = noise_of(a, reference, a);
  REQUIRE(repeated.noise);
  CHECK(!repeated.noise->is_precise);
  CHECK(repeated.noise->max_absolute == 0);
  CHECK(noise_of(reference, b, a).noise->runs == 1);
}

TEST_CASE("recordings of both precisions are compared") {
  const Folder folder;
  for (const bool is_double : {false, true}) {
    ss::ActivationRecorder recorder(folder / (is_double ? "double" : "single"));
    for (int call = 0; call < 3; ++call) {
      if (is_double) recorder.record("x", exact);
      else recorder.record("x", rounded(exact, call == 2 ? 1 : 0));
    }
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "single", folder / "double");
  REQUIRE(found.rows.size() == 3);
  CHECK(found.rows[1].verdict == Verdict::close);
  CHECK(found.rows[2].verdict == Verdict::different);
  CHECK(found.first_divergence()->record->call == 2);
}
