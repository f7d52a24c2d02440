/// \file
/// A further run has the names and calls of one of the sides: what has the other side's there may
/// be another tensor, which excuses nothing.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/folder.hpp"
#include "support/gaussian.hpp"

namespace {

namespace ss = safestructures;
using Layers = std::vector<std::pair<std::string, std::vector<float>>>;

std::vector<float> scaled(std::vector<float> numbers, float factor) {
  for (float& number : numbers) number *= factor;
  return numbers;
}

/// Four layers of the same numbers but for the second, under other names.
struct Sides {
  Layers a;
  Layers b;
  std::vector<ss::RenameRule> renames;
};

Sides make_sides(std::size_t size) {
  Sides sides;
  for (unsigned i = 0; i < 4; ++i) {
    const std::vector<float> numbers = ss::test::gaussian<float>(size, i + 1, 1);
    const std::string name = "h" + std::to_string(i + 1);
    const std::string other = "h" + std::to_string(i);
    sides.a.emplace_back(name, scaled(numbers, i == 1 ? 1.08F : 1));
    sides.b.emplace_back(other, numbers);
    sides.renames.push_back({name, other});
  }
  return sides;
}

Sides swapped(const Sides& sides) {
  Sides made{sides.b, sides.a, {}};
  for (const ss::RenameRule& rule : sides.renames) made.renames.push_back({rule.to, rule.from});
  return made;
}

ss::Value value_of(const Layers& layers, ss::DType dtype) {
  ss::Value value = ss::Value::dict({});
  for (const auto& [name, numbers] : layers)
    value.insert_or_assign(name, ss::Tensor::own(std::vector(numbers)).to(dtype));
  return value;
}

void record(const std::filesystem::path& folder, const Layers& layers, ss::DType dtype) {
  ss::ActivationRecorder recorder(folder, {.precision = ss::Precision::preserve});
  for (const auto& [name, numbers] : layers)
    recorder.record(name, ss::Tensor::own(std::vector(numbers)).to(dtype));
  recorder.close();
}

/// The one difference that is there, whatever the noise.
void check_second_layer(const ss::Comparison& found) {
  CHECK(found.coverage.without_noise == 0);
  REQUIRE(found.rows.size() == 4);
  CHECK(found.differences() == 1);
  REQUIRE(found.rows.at(1).noise);
  CHECK(found.rows.at(1).verdict == ss::Verdict::different);
  CHECK(found.rows.at(1).noise->relative_l2 < 1e-6);
}

}  // namespace

TEST_CASE("noise is that of the right tensor if names differ in files") {
  const Sides sides = make_sides(100);
  for (const Sides& tried : {sides, swapped(sides)})
    for (const Layers* run : {&tried.a, &tried.b}) {
      CAPTURE((run == &tried.a));
      const ss::CompareOptions options{
          .renames = tried.renames,
          .noise = {std::make_shared<const ss::Value>(value_of(*run, ss::DType::F64))}};
      check_second_layer(ss::compare(value_of(tried.a, ss::DType::F32),
                                     value_of(tried.b, ss::DType::F32), options));
    }
}

TEST_CASE("noise is that of the right tensor if names differ in recordings") {
  // Looked at by thousands, and one by one.
  for (const std::size_t size : {std::size_t{100}, std::size_t{20'000}}) {
    CAPTURE(size);
    const Sides sides = make_sides(size);
    const ss::test::Folder folder;
    record(folder / "a", sides.a, ss::DType::F32);
    record(folder / "b", sides.b, ss::DType::F32);
    record(folder / "of-a", sides.a, ss::DType::F64);
    record(folder / "of-b", sides.b, ss::DType::F64);
    for (const char* run : {"of-a", "of-b"}) {
      CAPTURE(run);
      check_second_layer(ss::compare_files(folder / "a", folder / "b",
                                           {.renames = sides.renames, .noise = {folder / run}}));
      check_second_layer(
          ss::compare_files(folder / "b", folder / "a",
                            {.renames = swapped(sides).renames, .noise = {folder / run}}));
    }
  }
}

TEST_CASE("noise is that of the right call if calls have other numbers") {
  for (const std::size_t size : {std::size_t{100}, std::size_t{20'000}}) {
    CAPTURE(size);
    const ss::test::Folder folder;
    const std::vector<float> first = ss::test::gaussian<float>(size, 1, 1);
    const std::vector<float> second = ss::test::gaussian<float>(size, 2, 1);
    const auto run = [&](const char* name, bool has_more, float factor, ss::DType dtype) {
      ss::ActivationRecorder recorder(folder / name, {.precision = ss::Precision::preserve});
      if (has_more) recorder.record("x", std::vector<float>{1, 2, 3});
      recorder.record("x", ss::Tensor::own(scaled(first, factor)).to(dtype));
      recorder.record("x", ss::Tensor::own(std::vector(second)).to(dtype));
      recorder.close();
    };
    run("a", true, 1.04F, ss::DType::F32);
    run("b", false, 1, ss::DType::F32);
    run("of-a", true, 1.04F, ss::DType::F64);
    run("of-b", false, 1, ss::DType::F64);
    for (const char* noise : {"of-a", "of-b"}) {
      CAPTURE(noise);
      const ss::Comparison found =
          ss::compare_files(folder / "a", folder / "b", {.noise = {folder / noise}});
      CHECK(found.coverage.without_noise == 0);
      CHECK(found.coverage.only_a == 1);
      REQUIRE(found.rows.size() == 3);
      CHECK(found.differences() == 2);
      const ss::ComparisonRow& row = found.rows.at(1);
      CHECK(row.verdict == ss::Verdict::different);
      CHECK(row.record->call == 1);
      CHECK(row.record->other_call == std::uint64_t{0});
      REQUIRE(row.noise);
      CHECK(row.noise->relative_l2 < 1e-6);
      CHECK(found.rows.at(2).record->other_call == std::uint64_t{1});
      CHECK(found.rows.at(2).verdict == ss::Verdict::equal);
    }
  }
}

TEST_CASE("a run says of rounding what has more digits than both sides, not one of them") {
  const ss::Tensor exact = ss::Tensor::own(ss::test::gaussian<float>(64, 1, 1));
  const auto value = [](const ss::Tensor& tensor) { return ss::Value::dict({{"x", tensor}}); };
  const ss::Value a = value(exact.to(ss::DType::BF16));
  const ss::Value b = value(exact);
  const auto noise = [&](ss::DType dtype) {
    return ss::compare(a, b,
                       {.noise = {std::make_shared<const ss::Value>(value(exact.to(dtype)))}});
  };
  CHECK(ss::compare(a, b).is_equal());
  const ss::Comparison again = noise(ss::DType::F32);
  CHECK(again.is_equal());
  CHECK(!again.rows.at(0).noise->is_precise);
  CHECK(noise(ss::DType::F64).rows.at(0).noise->is_precise);

  const ss::test::Folder folder;
  record(folder / "a", {{"x", exact.to_vector<float>()}}, ss::DType::BF16);
  record(folder / "b", {{"x", exact.to_vector<float>()}}, ss::DType::F32);
  const ss::Comparison recorded =
      ss::compare_files(folder / "a", folder / "b", {.noise = {folder / "b"}});
  CHECK(recorded.is_equal());
  CHECK(!recorded.rows.at(0).noise->is_precise);
}
