/// \file
/// Further runs that say which differences are noise.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
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
using ss::Verdict;

/// `numbers` with Gaussian noise of that size.
std::vector<float> noisy(const std::vector<float>& numbers, double size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, size);
  std::vector<float> made = numbers;
  for (float& number : made) number += static_cast<float>(normal(random));
  return made;
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = std::sin(static_cast<float>(i)) + static_cast<float>(i % 7);
  return numbers;
}

ss::Value value(const std::vector<float>& numbers) {
  return ss::Value::dict({{"x", ss::Tensor::own(std::vector<float>(numbers))}});
}

ss::NoiseRun run_of(const std::vector<float>& numbers) {
  return std::make_shared<const ss::Value>(value(numbers));
}

ss::Comparison compare(const std::vector<float>& a, const std::vector<float>& b,
                       std::vector<ss::NoiseRun> noise, ss::CompareOptions options = {}) {
  options.noise = std::move(noise);
  return ss::compare(value(a), value(b), options);
}

}  // namespace

TEST_CASE("a difference as small as that of repeated runs is no error, a larger one is") {
  const std::vector<float> base = ramp(4096);
  const std::vector<float> b = noisy(base, 1e-3, 1);
  const std::vector<ss::NoiseRun> runs = {run_of(noisy(base, 1e-3, 2)),
                                          run_of(noisy(base, 1e-3, 3))};
  // 1e-3 is beyond what F32 is allowed.
  const std::vector<float> good = noisy(base, 1e-3, 4);
  CHECK(!ss::compare(value(good), value(b)).is_equal());
  const ss::Comparison found = compare(good, b, runs);
  CHECK(found.is_equal());
  CHECK(found.has_noise);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].verdict == Verdict::close);
  CHECK(found.rows[0].detail == "no further apart than the noise");
  REQUIRE(found.rows[0].noise);
  CHECK(found.rows[0].noise->runs == 2);
  CHECK(!found.rows[0].noise->is_precise);
  CHECK(found.rows[0].noise->rmse / 1e-3 == doctest::Approx(std::sqrt(2.0)).epsilon(0.05));
  CHECK(found.rows[0].noise->factor == doctest::Approx(3 * (1 + 4 / std::sqrt(8192.0))));

  for (const double planted : {1e-2, 1.0}) {
    CAPTURE(planted);
    std::vector<float> bad = good;
    for (float& number : bad) number *= static_cast<float>(1 + planted);
    const ss::Comparison other = compare(bad, b, runs);
    REQUIRE(other.rows.size() == 1);
    CHECK(other.rows[0].verdict == Verdict::different);
    CHECK(*other.rows[0].noise->excess > 1);
  }
  // A single element is found by the maximum.
  std::vector<float> spike = good;
  spike[77] += 0.1F;
  CHECK(!compare(spike, b, runs).is_equal());
  CHECK(compare(spike, b, runs, {.noise_factor = 30}).is_equal());
}

TEST_CASE("a fault is no noise, whichever side the further run is of") {
  const std::vector<float> base = ramp(2000);
  std::vector<float> a = noisy(base, 1e-3, 1);
  for (float& number : a) number *= 1.01F;
  const std::vector<float> b = noisy(base, 1e-3, 2);
  std::vector<float> a_again = noisy(base, 1e-3, 3);
  for (float& number : a_again) number *= 1.01F;
  CHECK(!compare(a, b, {run_of(a_again)}).is_equal());
  CHECK(!compare(a, b, {run_of(noisy(base, 1e-3, 3))}).is_equal());
}

TEST_CASE("repeated runs that are equal excuse nothing, and forbid nothing") {
  const std::vector<float> b = ramp(100);
  std::vector<float> a = b;
  a[3] = std::nextafter(a[3], 10.0F);
  const ss::Comparison found = compare(a, b, {run_of(a)});
  CHECK(found.is_equal());
  CHECK(!found.rows[0].noise->excess);
  a[3] += 1;
  CHECK(!compare(a, b, {run_of(a)}).is_equal());
}

TEST_CASE("a run in higher precision finds what a tolerance hides, unless the caller set it") {
  const std::vector<float> exact = ramp(3000);
  std::vector<ss::bfloat16> b;
  std::vector<ss::bfloat16> a;
  for (const float number : exact) {
    b.push_back(static_cast<ss::bfloat16>(number));
    a.push_back(static_cast<ss::bfloat16>(static_cast<float>(b.back()) * 1.008F));
  }
  const auto dict = [](const std::vector<ss::bfloat16>& numbers) {
    return ss::Value::dict({{"x", ss::Tensor::own(std::vector<ss::bfloat16>(numbers))}});
  };
  const ss::Comparison without = ss::compare(dict(a), dict(b));
  CAPTURE(without.rows.at(0).metrics->max_ratio.value_or(-1));
  CHECK(without.is_equal());
  const ss::Comparison found = ss::compare(dict(a), dict(b), {.noise = {run_of(exact)}});
  CHECK(found.rows.at(0).verdict == Verdict::different);
  CHECK(found.rows.at(0).detail == "within the tolerance, but beyond the noise");
  CHECK(found.rows.at(0).noise->is_precise);
  // What the call allows is allowed.
  CHECK(ss::compare(dict(a), dict(b),
                    {.tolerances = {{"*x", {.rtol = 0.02, .atol = 0}}}, .noise = {run_of(exact)}})
            .is_equal());
  const auto verdict_beside = [&](ss::DType dtype) {
    const ss::ToleranceRule rule{"*", {.rtol = 0.02, .atol = 0}, dtype};
    return ss::compare(dict(a), dict(b), {.tolerances = {rule}, .noise = {run_of(exact)}})
        .rows.at(0)
        .verdict;
  };
  CHECK(verdict_beside(ss::DType::BF16) == Verdict::close);
  CHECK(verdict_beside(ss::DType::F16) == Verdict::different);
  CHECK(ss::compare(dict(a), dict(b), {.rtol = 0.02, .noise = {run_of(exact)}}).is_equal());
  // Half a step is what no rounding does better.
  std::vector<ss::bfloat16> rounded = b;
  rounded[1] = static_cast<ss::bfloat16>(static_cast<float>(rounded[1]) * 1.005F);
  CHECK(ss::compare(dict(rounded), dict(b), {.noise = {run_of(exact)}}).is_equal());
}

TEST_CASE("with a run in higher precision the noise floor is at least half a step") {
  const ss::Tensor half = ss::Tensor::own(ramp(1000)).to(ss::DType::F16);
  std::vector<float> exact(1000);
  half.copy_to(ss::DType::F32, std::as_writable_bytes(std::span(exact)));
  std::vector<float> other = exact;
  // A step of F16 there.
  float& largest = *std::ranges::max_element(other);
  REQUIRE(largest > 4);
  largest += 0x1p-8F;
  const auto dict = [](const ss::Tensor& tensor) { return ss::Value::dict({{"x", tensor}}); };
  const ss::Comparison found =
      ss::compare(dict(half), dict(ss::Tensor::own(std::move(other)).to(ss::DType::F16)),
                  {.noise = {run_of(exact)}});
  CHECK(found.rows.at(0).noise->max_absolute == 0);
  CHECK(found.rows.at(0).noise->is_precise);
  CHECK(*found.rows.at(0).noise->excess == doctest::Approx(2 / found.rows.at(0).noise->factor));
  CHECK(found.rows.at(0).verdict == Verdict::close);
}

TEST_CASE("the largest of many differences may be further from the noise than their mean square") {
  std::vector<float> exact = ramp(4096);
  std::vector<float> b = exact;
  std::vector<float> a = exact;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const float apart = i % 2 == 0 ? 1e-3F : -1e-3F;
    b[i] += apart;
    a[i] -= apart;
  }
  const auto verdict = [&](float at_one_place) {
    a[100] = b[100] + at_one_place * 1e-3F;
    return compare(a, b, {run_of(exact)}).rows.at(0).verdict;
  };
  // Sums in another order have been 4.3 times as far apart as the noise at one place.
  CHECK(verdict(4.4F) == Verdict::close);
  CHECK(verdict(6.2F) == Verdict::close);
  CHECK(verdict(6.6F) == Verdict::different);
}

TEST_CASE("NaN and integers are never noise") {
  std::vector<float> b = ramp(50);
  std::vector<float> a = noisy(b, 1e-3, 1);
  a[9] = NAN;
  CHECK(!compare(a, b, {run_of(noisy(b, 1, 2))}).is_equal());
  const auto tokens = [](std::int64_t last) {
    return ss::Value::dict({{"tokens", ss::Tensor::own(std::vector<std::int64_t>{1, 2, last})}});
  };
  const ss::Comparison found =
      ss::compare(tokens(3), tokens(4), {.noise = {std::make_shared<const ss::Value>(tokens(9))}});
  CHECK(!found.is_equal());
  CHECK(!found.rows.at(0).noise);
  CHECK(found.coverage.without_noise == 0);
}

TEST_CASE("a further run of which no number is finite says nothing") {
  const std::vector<float> base = ramp(100);
  const std::vector<float> nothing(100, std::numeric_limits<float>::quiet_NaN());
  const ss::Comparison found = compare(base, noisy(base, 1e-2, 1), {run_of(nothing)});
  CHECK(!found.rows.at(0).noise);
  CHECK(found.coverage.without_noise == 1);
  CHECK(found.rows.at(0).verdict == Verdict::different);
}

TEST_CASE("tensors that no further run has are counted and reported") {
  const std::vector<float> b = ramp(50);
  const ss::Comparison found = compare(noisy(b, 1e-3, 1), b, {run_of(ramp(49))});
  CHECK(!found.is_equal());
  CHECK(found.coverage.without_noise == 1);
  CHECK(found.notes == std::vector<std::string>{"tensors for which no further run measures the "
                                                "noise, so that only the tolerances decide: 1"});
}

TEST_CASE("a further run with fewer digits tells nothing") {
  const std::vector<float> b = ramp(1000);
  const std::vector<float> a = noisy(b, 1e-4, 1);
  for (const ss::DType dtype : {ss::DType::F16, ss::DType::BF16, ss::DType::F8_E4M3}) {
    CAPTURE(ss::to_string(dtype));
    const ss::NoiseRun run = std::make_shared<const ss::Value>(
        ss::Value::dict({{"x", ss::Tensor::own(std::vector<float>(b)).to(dtype)}}));
    const ss::Comparison found = compare(a, b, {run});
    CHECK(!found.is_equal());
    CHECK(!found.rows.at(0).noise);
    CHECK(found.coverage.without_noise == 1);
    // Another one may.
    CHECK(compare(a, b, {run, run_of(noisy(b, 1e-4, 2))}).is_equal());
  }
}

TEST_CASE("tensors excused by noise as large as their numbers are counted and reported") {
  const std::vector<float> b = noisy(std::vector<float>(1000), 1, 1);
  std::vector<float> a = b;
  for (float& number : a) number = -number;
  const ss::Comparison found = compare(a, b, {run_of(std::vector<float>(1000))});
  CHECK(found.rows.at(0).verdict == Verdict::close);
  CHECK(found.coverage.large_noise == 1);
  CHECK(found.notes ==
        std::vector<std::string>{"tensors accepted because of noise at least half as large as they "
                                 "are, as an unrelated run would give: 1"});
  // Within the tolerance nothing is excused.
  CHECK(compare(b, b, {run_of(std::vector<float>(1000))}).coverage.large_noise == 0);
  CHECK(compare(noisy(b, 1e-3, 2), b, {run_of(noisy(b, 1e-3, 3))}).coverage.large_noise == 0);
}

TEST_CASE("noise alone is taken for an error in 1 % of tensors of two numbers, else almost never") {
  // One further run. The figures of docs/compare.md.
  constexpr int trials = 2000;
  for (const std::size_t count : {2U, 4U, 16U, 100U, 1000U}) {
    CAPTURE(count);
    const std::vector<float> base = ramp(count);
    int alarms = 0;
    for (int i = 0; i < trials; ++i) {
      const auto seed = static_cast<unsigned>(3 * i);
      if (!compare(noisy(base, 1e-2, seed), noisy(base, 1e-2, seed + 1),
                   {run_of(noisy(base, 1e-2, seed + 2))}, {.rtol = 0, .atol = 0, .suggest = false})
               .is_equal())
        ++alarms;
    }
    CHECK(alarms <= (count <= 2 ? 20 : 2));
  }
}

TEST_CASE("recordings have recordings as noise, paired by name, step and call") {
  const ss::test::Folder folder;
  const std::vector<float> base = ramp(500);
  const auto record = [&](const std::string& name, unsigned seed, float fault) {
    ss::ActivationRecorder recorder(folder / name);
    for (int step = 0; step < 2; ++step) {
      recorder.step(step);
      std::vector<float> first = noisy(base, 1e-3, 10 * seed + static_cast<unsigned>(step));
      if (step == 1) first[5] += fault;
      recorder.record("first", first);
      recorder.record("second", noisy(base, 1e-1, 20 * seed + static_cast<unsigned>(step)));
    }
    recorder.close();
  };
  record("a", 1, 0.5F);
  record("b", 2, 0);
  record("again", 3, 0);
  const ss::Comparison found =
      ss::compare_files(folder / "a", folder / "b", {.noise = {folder / "again"}});
  // 0.5 is noise of the second, not of the first.
  CHECK(found.differences() == 1);
  REQUIRE(found.first_divergence() != nullptr);
  CHECK(found.first_divergence()->record->name == "first");
  CHECK(found.first_divergence()->record->step == 1);
  std::ostringstream text;
  found.write_text(text);
  CHECK(text.str().substr(0, text.str().find('\n')) ==
        "verdict     max abs   max rel    rel L2  SNR dB      ULP   beyond  noise    out/in  calls "
        " record");
}

TEST_CASE("a run of another kind and an invalid factor are refused") {
  const ss::test::Folder folder;
  {
    ss::ActivationRecorder recorder(folder / "run");
    recorder.record("x", std::vector<float>{1});
    recorder.close();
  }
  const std::string run = (folder / "run").string();
  const std::vector<float> b = ramp(3);
  CHECK(ss::test::error_of([&] { return compare(b, b, {folder / "run"}); }) ==
        "invalid_argument: a run for the noise is not of the kind that is compared: expected "
        "a file or a structure, found " +
            run + ".");
  CHECK(ss::test::error_of([&] { return ss::compare_files(run, run, {.noise = {run_of(b)}}); }) ==
        "invalid_argument: a run for the noise is not of the kind that is compared: expected "
        "the folder of a recording, found a structure.");
  for (const auto& one : std::vector<std::pair<double, std::string>>{
           {0, "0"},
           {-1e-9, "-1e-09"},
           {std::numeric_limits<double>::quiet_NaN(), "nan"},
           {HUGE_VAL, "inf"}})
    CHECK(ss::test::error_of([&] { return compare(b, b, {}, {.noise_factor = one.first}); }) ==
          "invalid_argument: a factor for the noise is not valid: expected a finite number above "
          "0, found " +
              one.second + ".");
}

TEST_CASE("a further run that is a file measures the tensors outside its structure too") {
  const auto file = [](float number) {
    const ss::Tensor more = ss::Tensor::own(std::vector<float>{1, number});
    const auto bytes = std::make_shared<const std::vector<std::byte>>(
        ss::save(ss::Value::dict({{"x", 1}}), {.extra_tensors = {{"more", more}}}));
    return ss::Document::from_bytes(*bytes, bytes);
  };
  const auto run = std::make_shared<const ss::Document>(file(2.02F));
  const ss::Comparison found = ss::compare(file(2), file(2.01F), {.noise = {run}});
  CHECK(found.is_equal());
  CHECK(found.coverage.without_noise == 0);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].path == "more");
  CHECK(found.rows[0].noise->runs == 1);
}
