/// \file
/// What the statistics of complex tensors, and of tensors that had another dtype, prove, and
/// statistics that files store in another.
#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
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
#include "support/gaussian.hpp"

namespace {

namespace ss = safestructures;
using Complex = std::vector<std::complex<float>>;

ss::ComparisonRow row_of(const ss::Value& a, const ss::Value& b,
                         const ss::CompareOptions& options = {}) {
  const ss::Comparison found =
      ss::compare(ss::Value::dict({{"x", a}}), ss::Value::dict({{"x", b}}), options);
  REQUIRE(found.rows.size() == 1);
  return found.rows.at(0);
}

ss::Value statistics_of(const ss::Tensor& tensor) { return ss::statistics_value(tensor); }

}  // namespace

TEST_CASE("parts of complex numbers may be as far apart as their modulus allows") {
  const Complex b(16, {1000, 1000});
  Complex a = b;
  for (auto& number : a) number += 1.59e-3F;
  const ss::Tensor left = ss::Tensor::own(Complex(a));
  const ss::Tensor right = ss::Tensor::own(Complex(b));
  CHECK(row_of(left, right).verdict == ss::Verdict::close);
  CHECK(row_of(statistics_of(left), statistics_of(right)).verdict == ss::Verdict::close);
  // More than that.
  for (auto& number : a) number += 3e-3F;
  const ss::Tensor far = ss::Tensor::own(Complex(a));
  CHECK(row_of(far, right).verdict == ss::Verdict::different);
  CHECK(row_of(statistics_of(far), statistics_of(right)).verdict == ss::Verdict::different);
}

TEST_CASE("statistics of complex tensors within their tolerance prove nothing") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::size_t turn = 0; turn < 300; ++turn) {
    Complex b(1 + turn % 20);
    Complex a;
    for (auto& number : b) {
      number = {100 * uniform(random), 100 * uniform(random)};
      // As far as is allowed, in any direction, but for its rounding.
      const float far = 1e-2F * std::abs(number) * 0.99F;
      a.push_back(number + std::polar(far, 4 * uniform(random)));
    }
    const ss::Tensor left = ss::Tensor::own(std::move(a));
    const ss::Tensor right = ss::Tensor::own(std::move(b));
    const ss::CompareOptions options{.rtol = 1e-2, .atol = 0.0};
    REQUIRE(row_of(left, right, options).verdict == ss::Verdict::close);
    CHECK(row_of(statistics_of(left), statistics_of(right), options).detail == "by statistics");
  }
}

TEST_CASE("statistics allow both parts of complex numbers what their modulus does") {
  // Both parts are further off than either of them alone would be allowed.
  const Complex b(16, {1000, 1000});
  const auto off_by = [&](float part) {
    Complex a = b;
    for (auto& number : a) number += std::complex<float>(part, part);
    return ss::Tensor::own(std::move(a));
  };
  const ss::Tensor right = ss::Tensor::own(Complex(b));
  CHECK(row_of(off_by(1.59e-3F), right).verdict == ss::Verdict::close);
  CHECK(row_of(statistics_of(off_by(1.59e-3F)), statistics_of(right)).detail == "by statistics");
  CHECK(row_of(off_by(2.2e-3F), right).verdict == ss::Verdict::different);
  CHECK(row_of(statistics_of(off_by(2.2e-3F)), statistics_of(right)).verdict ==
        ss::Verdict::different);
}

TEST_CASE("statistics of complex numbers beside those of real ones allow for imaginary parts") {
  const ss::Tensor zeros = ss::Tensor::own(std::vector<float>(16));
  const auto off_by = [](float part) { return ss::Tensor::own(Complex(16, {part, part})); };
  CHECK(row_of(off_by(9e-6F), zeros).verdict == ss::Verdict::close);
  CHECK(row_of(statistics_of(off_by(9e-6F)), statistics_of(zeros)).detail ==
        "C64 and F32; by statistics");
  CHECK(row_of(statistics_of(zeros), statistics_of(off_by(9e-6F))).verdict == ss::Verdict::close);
  CHECK(row_of(statistics_of(off_by(1.1e-5F)), statistics_of(zeros)).verdict ==
        ss::Verdict::different);
}

TEST_CASE("statistics of complex numbers beside those of real ones compare norms alone") {
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  const ss::Tensor real = ss::Tensor::own(std::vector(numbers));
  const ss::Tensor complex = ss::Tensor::own(Complex(numbers.begin(), numbers.end()));
  const auto check = [](const ss::Tensor& a, const ss::Tensor& b, ss::Verdict verdict) {
    CHECK(row_of(statistics_of(a), statistics_of(b)).verdict == verdict);
    CHECK(row_of(statistics_of(b), statistics_of(a)).verdict == verdict);
  };
  check(complex, real, ss::Verdict::close);
  CHECK(!row_of(statistics_of(complex), statistics_of(real)).statistics->distance);
  check(complex, ss::Tensor::own(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 9}),
        ss::Verdict::different);
  check(complex, ss::Tensor::own(std::vector<float>{1, 2, 3, 4, 5, 6, 7, NAN}),
        ss::Verdict::different);
}

TEST_CASE(
    "a tensor that was stored in more digits is allowed what its own dtype is, by statistics too") {
  const ss::test::Folder folder;
  const std::vector<float> numbers = {1, 2, 3, 4};
  std::vector<float> other = numbers;
  for (float& number : other) number *= 1 + 5e-4F;
  const auto record = [&](const char* name, const ss::Tensor& tensor, ss::Keep keep) {
    ss::ActivationRecorder recorder(folder / name,
                                    {.rules = {{.keep = keep, .precision = ss::Precision::f32}}});
    recorder.record("x", tensor);
    recorder.close();
  };
  record("half", ss::Tensor::own(std::vector(numbers)).to(ss::DType::F16), ss::Keep::full);
  record("other", ss::Tensor::own(std::vector(other)), ss::Keep::full);
  record("statistics", ss::Tensor::own(std::vector(other)), ss::Keep::statistics);
  for (const char* name : {"other", "statistics"}) {
    CAPTURE(name);
    CHECK(ss::compare_files(folder / "half", folder / name).is_equal());
    CHECK(ss::compare_files(folder / name, folder / "half").is_equal());
    CHECK(ss::compare_files(folder / "half", folder / name)
              .rows.at(0)
              .detail.starts_with("F32, was F16 and F32"));
  }
}

TEST_CASE("statistics in files stand for tensors, stored as files store doubles or in full") {
  const ss::test::Folder folder;
  const std::vector<double> numbers = ss::test::gaussian<double>(1000, 1, 1);
  std::vector<double> near = numbers;
  for (double& number : near) number *= 1 + 5e-8;
  std::vector<double> other = numbers;
  for (double& number : other) number *= 1.1;
  for (const ss::Precision precision : {ss::Precision::f32, ss::Precision::preserve}) {
    const auto save = [&](const char* name, const ss::Value& value) {
      ss::save_file(ss::Value::dict({{"x", value}}), folder / name, {.precision = precision});
    };
    for (const auto& [name, made] :
         {std::pair("same", numbers), std::pair("near", near), std::pair("other", other)})
      save(name, statistics_of(ss::Tensor::own(std::vector(made))));
    const auto verdict = [&](const char* a, const char* b) {
      const ss::Comparison found = ss::compare_files(folder / a, folder / b);
      CHECK(found.coverage.statistics == 1);
      REQUIRE(found.rows.size() == 1);
      return found.rows[0].verdict;
    };
    CHECK(verdict("same", "same") == ss::Verdict::equal);
    CHECK(verdict("near", "same") == ss::Verdict::close);
    CHECK(verdict("same", "near") == ss::Verdict::close);
    CHECK(verdict("other", "same") == ss::Verdict::different);
  }
  ss::save_file(statistics_of(ss::Tensor::own(std::vector(numbers))), folder / "half",
                {.precision = ss::Precision::f16});
  const ss::Document half = ss::Document::open(folder / "half");
  CHECK(ss::test::error_of([&] { return ss::read_statistics(half.root()); }) ==
        "invalid_schema: at /quantiles: the statistics in a record are not what a recorder keeps: "
        "expected an F64 tensor of shape [19], found tensor F16 [19].");
}
