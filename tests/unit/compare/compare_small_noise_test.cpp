// The noise of records that are small tensors is found by thousands: it must be what comparing
// their tensors one by one finds.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::Verdict;

constexpr std::size_t steps = 20;
constexpr std::array<std::size_t, 4> sizes = {2, 16, 99, 3000};

/// How a run differs from the first.
struct Kind {
  unsigned seed = 0;
  double noise = 0;  ///< Relative.
  double fault = 0;  ///< Relative, of every fourth step.
  double bias = 0;   ///< Relative.
  ss::DType dtype = ss::DType::F32;
  bool has_nan = false;
  bool is_backwards = false;  ///< The layers of a step in the other order.
  bool has_gaps = false;      ///< Every second step alone, so that later calls have other numbers.
  std::string_view prefix = "layer";
};

ss::Tensor output(std::size_t size, std::size_t step, const Kind& kind) {
  std::mt19937_64 common(size * 1000 + step);
  std::mt19937_64 own(size * 1000 + step + 1'000'000 * (kind.seed + 1));
  // Each keeps a number for the next call.
  std::normal_distribution<double> of_all;
  std::normal_distribution<double> of_run;
  std::vector<double> numbers(size);
  for (double& number : numbers) {
    number = of_all(common) * (1 + kind.bias + kind.noise * of_run(own));
    if (step % 4 == 1) number *= 1 + kind.fault * of_run(own);
  }
  if (kind.has_nan && step % 4 == 2) numbers[0] = std::numeric_limits<double>::quiet_NaN();
  if (step % 4 == 3) numbers[1] = 0;
  const ss::Shape shape = size == 16 ? ss::Shape{4, 4} : ss::Shape{size};
  return ss::Tensor::own(std::move(numbers), shape).to(kind.dtype, ss::Overflow::allow);
}

void record(const std::filesystem::path& folder, const Kind& kind, std::size_t until = steps) {
  ss::ActivationRecorder recorder(folder, {.precision = ss::Precision::preserve});
  for (std::size_t step = 0; step < until; ++step) {
    if (kind.has_gaps && step % 2 == 1) continue;
    recorder.step(static_cast<std::int64_t>(step));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t size = sizes[kind.is_backwards ? sizes.size() - 1 - i : i];
      recorder.record(std::string(kind.prefix) + std::to_string(size), output(size, step, kind));
    }
  }
  recorder.close();
}

/// What a run has of a row, in a dict by its name.
std::shared_ptr<const ss::Value> value_in(const ss::Recording& run, const ss::ComparisonRow& row) {
  const ss::Record* found = run.find_call(row.path, row.record->call);
  const bool is_number = found != nullptr && found->value().kind() != ss::Kind::tuple;
  if (!is_number && !row.other_path.empty())
    found = run.find_call(row.other_path, row.record->call);
  if (found == nullptr || found->step() != row.record->step) return nullptr;
  return std::make_shared<const ss::Value>(ss::Value::dict({{row.path, found->value()}}));
}

void check_same(const std::optional<double>& found, const std::optional<double>& expected) {
  REQUIRE(found.has_value() == expected.has_value());
  // Sums over several blocks are rounded to doubles.
  if (found) CHECK(*found == doctest::Approx(*expected).epsilon(1e-14));
}

void check_noise(const ss::ComparisonRow& row, const ss::ComparisonRow& expected) {
  CHECK(row.verdict == expected.verdict);
  CHECK(row.detail == expected.detail);
  CHECK(row.permutation == expected.permutation);
  REQUIRE(static_cast<bool>(row.noise) == static_cast<bool>(expected.noise));
  if (!row.noise) return;
  CHECK(row.noise->runs == expected.noise->runs);
  CHECK(row.noise->is_precise == expected.noise->is_precise);
  CHECK(row.noise->factor == expected.noise->factor);
  CHECK(row.noise->max_absolute == expected.noise->max_absolute);
  check_same(row.noise->rmse, expected.noise->rmse);
  check_same(row.noise->relative_l2, expected.noise->relative_l2);
  check_same(row.noise->excess, expected.noise->excess);
}

/// Compares two recordings beside others, and each of their rows with what its tensors give.
/// \returns the comparison
ss::Comparison check(const ss::test::Folder& folder, const std::string& b,
                     const std::vector<std::string>& noise, ss::CompareOptions options = {}) {
  std::vector<std::shared_ptr<const ss::Recording>> runs;
  for (const std::string& name : noise)
    runs.push_back(std::make_shared<const ss::Recording>(folder / name));
  for (const std::string& name : noise) options.noise.emplace_back(folder / name);
  const auto first = std::make_shared<const ss::Recording>(folder / "a");
  const auto second = std::make_shared<const ss::Recording>(folder / b);
  ss::Comparison found = ss::compare(*first, *second, options);
  CHECK(found.rows.size() == steps * sizes.size());
  std::uint64_t without = 0;
  std::uint64_t large = 0;
  for (const ss::ComparisonRow& row : found.rows) {
    CAPTURE(row.path);
    CAPTURE(row.record->step);
    ss::CompareOptions alone = options;
    alone.renames = {};
    alone.noise = {};
    for (const auto& run : runs) alone.noise.emplace_back(value_in(*run, row));
    check_noise(row,
                ss::compare(*value_in(*first, row), *value_in(*second, row), alone).rows.at(0));
    if (!row.noise) ++without;
    else if (row.verdict == Verdict::close && row.metrics->beyond != 0 &&
             *row.noise->relative_l2 >= 0.5)
      ++large;
  }
  CHECK(found.coverage.large_noise == large);
  CHECK(found.coverage.without_noise == (noise.empty() ? 0 : without));
  return found;
}

std::size_t count(const ss::Comparison& found, std::string_view detail) {
  std::size_t count = 0;
  for (const ss::ComparisonRow& row : found.rows)
    if (row.detail.find(detail) != std::string::npos) ++count;
  return count;
}

}  // namespace

TEST_CASE("rows of small records have the noise of their tensors, and its verdict") {
  const ss::test::Folder folder;
  record(folder / "a", {.seed = 1, .noise = 1e-3});
  record(folder / "b", {.seed = 2, .noise = 1e-3, .fault = 0.1});
  record(folder / "again", {.seed = 3, .noise = 1e-3});
  record(folder / "more", {.seed = 4, .noise = 1e-3});
  record(folder / "half", {.seed = 5, .noise = 1e-3, .dtype = ss::DType::F16});
  record(folder / "double", {.seed = 6, .noise = 1e-3, .dtype = ss::DType::F64});
  record(folder / "few", {.seed = 7, .noise = 1e-3}, 3);
  record(folder / "backwards", {.seed = 3, .noise = 1e-3, .is_backwards = true});
  record(folder / "gaps", {.seed = 7, .noise = 1e-3, .has_gaps = true});
  record(folder / "none", {.seed = 8, .noise = 1e-3, .prefix = "block"});

  const ss::Comparison found = check(folder, "b", {"again"});
  CHECK(count(found, "no further apart than the noise") > 40);
  // All but some of the faults in two numbers.
  CHECK(found.differences() >= 15);
  CHECK(found.differences() <= 22);
  // What is excused comes behind what is not.
  std::ostringstream text;
  found.write_text(text);
  CHECK(text.str().find("\ndifferent ") < text.str().find("\nclose "));
  CHECK(check(folder, "b", {"a"}).differences() > found.differences());
  CHECK(check(folder, "b", {"backwards"}).differences() == found.differences());
  CHECK(check(folder, "b", {"again", "more"}).rows.at(7).noise->runs == 2);
  CHECK(check(folder, "b", {"half"}).coverage.without_noise == steps * sizes.size());
  CHECK(check(folder, "b", {"double", "again"}).rows.at(7).noise->is_precise);
  CHECK(check(folder, "b", {"few"}).coverage.without_noise == 17 * sizes.size());
  CHECK(check(folder, "b", {"gaps"}).coverage.without_noise == (steps - 1) * sizes.size());
  CHECK(check(folder, "b", {"none"}).coverage.without_noise == steps * sizes.size());
  record(folder / "another", {.seed = 9, .bias = -2});
  CHECK(check(folder, "b", {"another"}).coverage.large_noise > 40);
  check(folder, "b", {"again"}, {.noise_factor = 0.5});
  check(folder, "b", {"double"}, {.rtol = 0.01});
  check(folder, "b", {"double"}, {.tolerances = {{"*16", {0.5, 0}}}});
  check(folder, "b", {"double"}, {.suggest = false});
}

TEST_CASE("equal small records have noise, too") {
  const ss::test::Folder folder;
  record(folder / "a", {.seed = 1, .noise = 1e-3});
  record(folder / "again", {.seed = 3, .noise = 1e-3});
  const ss::Comparison found = check(folder, "a", {"again"});
  CHECK(found.differences() == 0);
  CHECK(found.rows.at(0).verdict == Verdict::equal);
  CHECK(*found.rows.at(0).noise->excess == 0);
}

TEST_CASE("small records differ where a run in higher precision says so, though they are close") {
  const ss::test::Folder folder;
  record(folder / "a", {.seed = 1, .dtype = ss::DType::BF16});
  record(folder / "b", {.seed = 2, .bias = 8e-3, .dtype = ss::DType::BF16});
  record(folder / "exact", {.seed = 3});
  CHECK(check(folder, "b", {}).differences() == 0);
  const ss::Comparison found = check(folder, "b", {"exact"});
  CHECK(found.differences() > steps);
  // Those that may have their dimensions in another order are looked at one by one.
  CHECK(count(found, "within the tolerance, but beyond the noise") == found.differences());
  CHECK(found.rows.at(0).noise->is_precise);
}

TEST_CASE(
    "small records with NaN, of other shapes and names, and parts of others have their noise") {
  const ss::test::Folder folder;
  record(folder / "a", {.seed = 1, .noise = 1e-3});
  record(folder / "b", {.seed = 2, .noise = 1e-3, .prefix = "block"});
  record(folder / "nan", {.seed = 3, .noise = 1e-3, .has_nan = true, .prefix = "block"});
  {
    ss::ActivationRecorder other(folder / "other", {.precision = ss::Precision::preserve});
    for (std::size_t step = 0; step < steps; ++step) {
      other.step(static_cast<std::int64_t>(step));
      other.record("layer2", 1.5);
      other.record("layer16", output(3000, step, {}));
      other.record("layer99", std::make_pair(1.0F, 2.0F));
      other.record("block99", output(99, step, {.seed = 4, .noise = 1e-3}));
      other.record("layer3000", ss::Tensor::own(std::vector<float>(3000), {30, 100}));
    }
    other.close();
  }
  const std::vector<ss::RenameRule> renames = {{"layer*", "block*"}};
  check(folder, "b", {"nan"}, {.renames = renames});
  CHECK(check(folder, "b", {"nan", "other"}, {.renames = renames}).rows.at(3).noise->runs == 1);
  // All but those of 99 numbers.
  CHECK(check(folder, "b", {"other"}, {.renames = renames}).coverage.without_noise ==
        steps * (sizes.size() - 1));
  {
    ss::ActivationRecorder complex(folder / "complex");
    for (std::size_t step = 0; step < steps; ++step) {
      complex.step(static_cast<std::int64_t>(step));
      complex.record("layer2", std::complex<double>(1, 2));
      complex.record("layer16", std::complex<double>(1, 2));
    }
    complex.close();
  }
  // A complex is two numbers.
  CHECK(check(folder, "b", {"complex"}, {.renames = renames}).coverage.without_noise ==
        steps * (sizes.size() - 1));
}

TEST_CASE("what a small record is beyond its noise in may be a transpose") {
  const ss::test::Folder folder;
  constexpr std::size_t side = 20;
  // Three numbers of BF16 that follow each other.
  std::vector<float> numbers(side * side, 1.5F);
  std::vector<float> transposed(side * side, 1.5F);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      if (i != j) {
        numbers[i * side + j] = i < j ? 193.0F / 128 : 191.0F / 128;
        transposed[j * side + i] = numbers[i * side + j];
      }
  const auto record_one = [&](const std::string& name, const std::vector<float>& given,
                              ss::DType dtype) {
    ss::ActivationRecorder recorder(folder / name, {.precision = ss::Precision::preserve});
    recorder.record("x", ss::Tensor::own(std::vector<float>(given), {side, side}).to(dtype));
    recorder.close();
  };
  record_one("a", numbers, ss::DType::BF16);
  record_one("b", transposed, ss::DType::BF16);
  record_one("exact", numbers, ss::DType::F32);
  CHECK(ss::compare_files(folder / "a", folder / "b").differences() == 0);
  const ss::Comparison found =
      ss::compare_files(folder / "a", folder / "b", {.noise = {folder / "exact"}});
  REQUIRE(found.differences() == 1);
  CHECK(found.rows.at(0).detail.starts_with("within the tolerance, but beyond the noise; "));
  CHECK(found.rows.at(0).permutation == std::vector<std::size_t>{1, 0});
}

TEST_CASE("the noise of a small record may be a part of a record of another name") {
  const ss::test::Folder folder;
  for (const std::string name : {"a", "b", "again"}) {
    ss::ActivationRecorder recorder(folder / name);
    const std::vector<float> numbers(8, name == "a" ? 1.0F : name == "b" ? 1.5F : 1.25F);
    if (name == "again") recorder.record("pair", std::make_pair(numbers, 1));
    else recorder.record("pair/0", numbers);
    recorder.close();
  }
  const ss::Comparison found =
      ss::compare_files(folder / "a", folder / "b", {.noise = {folder / "again"}});
  CHECK(found.coverage.without_noise == 0);
  CHECK(found.rows.at(0).noise->max_absolute == 0.25);
  CHECK(found.rows.at(0).verdict == Verdict::close);
}
