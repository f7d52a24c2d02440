// Records that share tensors are compared by thousands, and their rows made when they are asked
// for: both must give what comparing them one by one does.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "compare/kernels/row_kernels.hpp"
#include "compare/small/row_bytes.hpp"
#include "support/folder.hpp"
#include "support/memory_source.hpp"

namespace {

namespace ss = safestructures;
namespace comparing = ss::comparing;
using ss::Verdict;

void check_same(const ss::TensorMetrics& found, const ss::TensorMetrics& expected) {
  CHECK(found.count == expected.count);
  CHECK(found.compared == expected.compared);
  CHECK(found.differing == expected.differing);
  CHECK(found.beyond == expected.beyond);
  CHECK(found.tolerance == expected.tolerance);
  CHECK(found.max_absolute == expected.max_absolute);
  CHECK(found.max_relative == expected.max_relative);
  CHECK(found.max_ratio == expected.max_ratio);
  // Sums over several blocks are rounded to doubles.
  const bool is_exact = found.count <= 2048;
  const auto check_near = [&](std::optional<double> one, std::optional<double> other, double most) {
    REQUIRE(one.has_value() == other.has_value());
    if (one && !is_exact) CHECK(std::abs(*one - *other) <= most);
    else CHECK(one == other);
  };
  const auto check_like = [&](std::optional<double> one, std::optional<double> other) {
    check_near(one, other, 4e-16 * std::abs(other.value_or(0)));
  };
  check_like(found.mean_error, expected.mean_error);
  check_like(found.mean_absolute, expected.mean_absolute);
  check_like(found.rmse, expected.rmse);
  check_like(found.norm_a, expected.norm_a);
  check_like(found.norm_b, expected.norm_b);
  check_like(found.relative_l2, expected.relative_l2);
  check_near(found.snr, expected.snr, 1e-14);
  CHECK(found.snr_state == expected.snr_state);
  check_near(found.cosine, expected.cosine, 4e-16);
  check_near(found.cosine_distance, expected.cosine_distance, 4e-16);
  check_like(found.norm_ratio, expected.norm_ratio);
  CHECK(found.ulp == expected.ulp);
  CHECK(found.non_finite == expected.non_finite);
  REQUIRE(found.worst.has_value() == expected.worst.has_value());
  if (!found.worst) return;
  CHECK(found.worst->index == expected.worst->index);
  CHECK(found.worst->a == expected.worst->a);
  CHECK(found.worst->b == expected.worst->b);
}

/// Numbers of which some calls have others in the second run: a little, by far, NaN, zeros.
std::vector<float> numbers(std::mt19937& random, std::size_t count, std::size_t call, bool is_b) {
  std::normal_distribution<float> normal;
  std::vector<float> all(count);
  for (float& number : all) {
    number = normal(random);
    const float noise = normal(random);
    if (!is_b) continue;
    if (call % 8 == 1) number += 1e-6F * noise;
    if (call % 8 == 2) number *= 1 + 0.25F * noise;
    if (call % 8 == 3) number = 0;
    // Norms that are far apart.
    if (call == 17) number *= -1e-6F;
  }
  if (call % 8 == 4 && !is_b) all[count / 2] = 0.0F;
  if (call % 8 == 4 && is_b) all[count / 2] = -0.0F;
  if (call % 8 == 5 && is_b) all[count - 1] = std::numeric_limits<float>::quiet_NaN();
  if (call % 8 == 6) all[0] = std::numeric_limits<float>::infinity();
  if (call == 14 || call == 22) {
    // Masked scores: equal ones, and some that differ elsewhere.
    for (std::size_t i = 1; i < count; i += 1 + i % 3)
      all[i] = i % 7 == 0 ? std::numeric_limits<float>::quiet_NaN()
                          : -std::numeric_limits<float>::infinity();
    if (call == 22 && is_b) all[count / 2] += 0.25F;
    if (call == 22 && is_b && count > 9) all[9] = 1e-3F;
  }
  if (call % 8 == 7 && is_b) all[count / 3] *= 2;
  return all;
}

constexpr std::size_t calls = 24;
// Rows of shared tensors, tensors of their own, of one block of numbers and of several, and one
// that is too large.
constexpr std::array<std::size_t, 11> sizes = {1,    7,    64,   99,    100,  250,
                                               1000, 2500, 6000, 65535, 65536};
constexpr std::size_t records = calls * (sizes.size() * 4 + 1);

/// Records of several sizes and dtypes, so that tensors of both runs have many rows each.
void record(const std::filesystem::path& folder, bool is_b) {
  std::mt19937 random(5);
  ss::ActivationRecorder recorder(folder);
  for (std::size_t call = 0; call < calls; ++call) {
    recorder.step(static_cast<std::int64_t>(call / 4));
    for (const std::size_t count : sizes) {
      const ss::Tensor tensor = ss::Tensor::own(numbers(random, count, call, is_b));
      for (const ss::DType dtype : {ss::DType::F32, ss::DType::F16, ss::DType::BF16})
        recorder.record(std::string(ss::to_string(dtype)) + "." + std::to_string(count),
                        tensor.to(dtype, ss::Overflow::allow));
      // Another dtype on the other side.
      recorder.record("mixed." + std::to_string(count),
                      is_b ? tensor : tensor.to(ss::DType::F16, ss::Overflow::allow));
    }
    recorder.record("square", ss::Tensor::own(numbers(random, 16, call, is_b), {4, 4}));
    recorder.record("loss", static_cast<double>(call));
  }
  recorder.close();
}

}  // namespace

TEST_CASE("rows of small records have the metrics of their tensors, to the last digit") {
  const ss::test::Folder folder;
  record(folder / "a", false);
  record(folder / "b", true);
  const ss::Recording a(folder / "a", {.access = ss::Access::read});
  const ss::Recording b(folder / "b");
  for (const ss::CompareOptions& options :
       {ss::CompareOptions{}, ss::CompareOptions{.rtol = 0, .atol = 0},
        ss::CompareOptions{.tolerances = {{"*.64", {0.5, 0.1}}}},
        ss::CompareOptions{.tolerances = {{"*", {0.5, 0.1}, ss::DType::F16}}}}) {
    const ss::Comparison found = ss::compare(a, b, options);
    CHECK(found.coverage.tensors == records);
    CHECK(found.coverage.values == calls);
    REQUIRE(found.rows.size() == records);
    std::uint64_t compared = 0;
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      const ss::ComparisonRow& row = found.rows[i];
      CAPTURE(row.path);
      CAPTURE(row.record->call);
      const ss::Tensor left = a.find_call(row.path, row.record->call)->tensor();
      const ss::Tensor right = b.find_call(row.path, row.record->call)->tensor();
      std::optional<ss::Tolerance> tolerance;
      if (options.rtol) tolerance = ss::Tolerance{0, 0};
      else if (!options.tolerances.empty() &&
               (options.tolerances[0].dtype ? left.dtype() == ss::DType::F16
                                            : row.path.ends_with(".64")))
        tolerance = ss::Tolerance{0.5, 0.1};
      const ss::TensorMetrics expected = ss::compare_tensors(left, right, tolerance);
      check_same(*row.metrics, expected);
      compared += expected.compared;
      CHECK(row.shape == left.shape());
      CHECK(row.detail.starts_with(row.path.starts_with("mixed") ? "F16 and F32" : ""));
      CHECK(found.rows.verdict(i) == row.verdict);
      CHECK(row.verdict == (!expected.is_within()     ? Verdict::different
                            : expected.compared == 0  ? Verdict::nothing
                            : expected.differing == 0 ? Verdict::equal
                                                      : Verdict::close));
      CHECK(&found.rows[i] == &row);
    }
    CHECK(found.coverage.compared_elements == compared);
  }
}

TEST_CASE("where small records are rows and where they are not, errors are traced alike") {
  const ss::test::Folder folder;
  // The same numbers once more, each in a list: no row of a shared tensor.
  for (const bool is_row : {true, false})
    for (const bool is_b : {true, false}) {
      std::mt19937 random(7);
      ss::ActivationRecorder recorder(
          folder / (std::string(is_row ? "row-" : "list-") + (is_b ? "b" : "a")));
      for (std::size_t call = 0; call < 40; ++call) {
        if (call % 10 == 0) recorder.step(static_cast<std::int64_t>(call / 10));
        const std::string name =
            "layer" + std::to_string(call % 10) + (call % 5 == 2 ? ".input" : "");
        std::vector<float> one = numbers(random, 12, call % 8 == 5 ? 1 : call, is_b);
        if (is_row) recorder.record(name, one);
        else recorder.record(name, ss::Value::list({ss::Tensor::own(std::move(one))}));
      }
      recorder.close();
    }
  const ss::Comparison rows = ss::compare_files(folder / "row-a", folder / "row-b");
  const ss::Comparison lists = ss::compare_files(folder / "list-a", folder / "list-b");
  REQUIRE(rows.rows.size() == lists.rows.size());
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const ss::ComparisonRow& row = rows.rows[i];
    const ss::ComparisonRow& other = lists.rows[i];
    CAPTURE(row.path);
    CAPTURE(row.record->step);
    CHECK(other.path == row.path + "/0");
    CHECK(row.verdict == other.verdict);
    CHECK(row.growth == other.growth);
    CHECK(row.makes_error == other.makes_error);
    CHECK(row.origin->evidence == other.origin->evidence);
    CHECK(row.origin->input_row == other.origin->input_row);
    CHECK(row.origin->error == other.origin->error);
    CHECK(row.origin->input_error == other.origin->input_error);
    CHECK(row.origin->amplification == other.origin->amplification);
    CHECK(row.origin->score == other.origin->score);
  }
  REQUIRE(!rows.culprits.empty());
  REQUIRE(rows.culprits.size() == lists.culprits.size());
  for (std::size_t i = 0; i < rows.culprits.size(); ++i) {
    CHECK(rows.culprits[i].name == lists.culprits[i].name);
    CHECK(rows.culprits[i].row == lists.culprits[i].row);
    CHECK(rows.culprits[i].calls == lists.culprits[i].calls);
  }
}

TEST_CASE("the progress of comparing small records ends at all of their bytes") {
  const ss::test::Folder folder;
  record(folder / "a", false);
  record(folder / "b", true);
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  const ss::Comparison found = ss::compare_files(
      folder / "a", folder / "b", {.progress = [&](std::uint64_t more, std::uint64_t of) {
        done += more;
        all = of;
      }});
  CHECK(!found.is_equal());
  CHECK(done > 0);
  CHECK(done == all);
}

TEST_CASE("instructions of every processor give the same of a small tensor") {
  std::mt19937 random(11);
  const std::vector<float> a = numbers(random, 256, 0, false);
  std::vector<float> b = a;
  for (std::size_t i = 0; i < b.size(); i += 3) b[i] *= 1.0F + 1e-4F * static_cast<float>(i);
  const comparing::FloatBlock block{.count = 256,
                                    .a = std::as_bytes(std::span(a)).data(),
                                    .b = std::as_bytes(std::span(b)).data()};
  std::vector<double> found[2];
  for (const bool is_baseline : {false, true}) {
    const comparing::RowKernels& kernels = comparing::row_kernels(is_baseline);
    std::vector<double> ratios(256);
    const comparing::RowSums sums = kernels.sums(block, {1e-3, 1e-6}, ratios.data());
    found[is_baseline ? 1 : 0] = {
        sums.errors,
        sums.absolute,
        sums.squares,
        sums.a_squares,
        sums.b_squares,
        sums.square_difference,
        sums.largest_b,
        sums.largest_difference,
        sums.max_ratio,
        static_cast<double>(sums.differing),
        static_cast<double>(sums.beyond),
        static_cast<double>(kernels.worst(block, ratios.data(), sums.max_ratio)),
        kernels.relative(block, 0x1p-4),
        kernels.squares(block).sum,
        kernels.squares(block).largest,
        static_cast<double>(kernels.float_steps(block).most)};
    CHECK(!kernels.half_steps(block).is_exact);
    CHECK(!kernels.bfloat16_steps(block).is_exact);
    const double reference = std::abs(static_cast<double>(b[3]));
    CHECK(ratios[3] == std::abs(static_cast<double>(a[3]) - static_cast<double>(b[3])) /
                           (reference * 1e-3 + 1e-6));
    // Of alike ratios the largest error, and its first place.
    std::vector<float> apart(256);
    const std::vector<float> zeros(256);
    for (const std::size_t at : {std::size_t{17}, std::size_t{50}, std::size_t{51}}) {
      ratios[at] = 1e9;
      apart[at] = at == 17 ? 2 : -3;
    }
    const comparing::FloatBlock three{.count = 256,
                                      .a = std::as_bytes(std::span(apart)).data(),
                                      .b = std::as_bytes(std::span(zeros)).data()};
    CHECK(kernels.worst(three, ratios.data(), 1e9) == 50);
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0][9] > 80);
}

TEST_CASE("rows that lie near each other are read at once, others one by one") {
  std::vector<std::byte> bytes(1000 * 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / 8);
  const auto source = std::make_shared<const ss::test::MemorySource>("server", std::move(bytes));
  const ss::Tensor rows = ss::Tensor::deferred(ss::DType::U8, {1000, 8}, source, 0, "rows");
  const auto read = [&](const std::vector<std::uint64_t>& places) {
    const std::uint64_t before = source->bytes_read();
    comparing::RowBytes near;
    for (const std::uint64_t row : places) near.add(rows, row, 8);
    near.read();
    for (std::size_t i = 0; i < places.size(); ++i)
      CHECK(near[i][7] == static_cast<std::byte>(places[i]));
    return source->bytes_read() - before;
  };
  CHECK(read({5, 7, 6, 9, 8}) == 5 * 8);
  CHECK(read({5, 9, 7}) == 5 * 8);
  // What lies between them is not read.
  CHECK(read({5, 900, 7}) == 3 * 8);
}

TEST_CASE("small tensors that follow each other in a file are read at once") {
  std::vector<std::byte> bytes(20'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / 100);
  const auto source = std::make_shared<const ss::test::MemorySource>("server", std::move(bytes));
  const auto tensor = [&](std::uint64_t offset) {
    return ss::Tensor::deferred(ss::DType::U8, {100}, source, offset, std::to_string(offset));
  };
  // Next to each other; behind a gap; far away; in front of what was there.
  const std::vector<std::uint64_t> offsets = {0, 100, 4200, 12'000, 200, 300};
  std::vector<ss::Tensor> tensors;
  for (const std::uint64_t offset : offsets) tensors.push_back(tensor(offset));
  std::vector<const ss::Tensor*> wanted;
  for (const ss::Tensor& one : tensors) wanted.push_back(&one);
  // One that is in memory, in between.
  const ss::Tensor loaded = ss::Tensor::own(std::vector<std::uint8_t>(100, 7));
  wanted.insert(wanted.begin() + 1, &loaded);
  comparing::RowBytes together;
  for (const ss::Tensor* const one : wanted) together.add(*one, 0, 100);
  together.read();
  CHECK(source->reads() == 3);
  CHECK(source->bytes_read() == 4300 + 100 + 200);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CHECK(together[i][99] ==
          (i == 1 ? std::byte{7} : static_cast<std::byte>(offsets[i == 0 ? 0 : i - 1] / 100)));
  // What fails is named by the tensor that it is in, not by the first that is read with it.
  source->fail_from(150);
  together.clear();
  for (const ss::Tensor* const one : std::span(wanted).first(3)) together.add(*one, 0, 100);
  try {
    together.read();
    FAIL("nothing was thrown");
  } catch (const ss::Error& error) {
    CHECK(error.details().path == "100");
    CHECK(error.details().file == "server");
  }
}

TEST_CASE("what a record of a name was says nothing of the next one") {
  const ss::test::Folder folder;
  constexpr std::size_t each = 200;
  const auto record_all = [&](const char* name, const ss::RecorderOptions& options,
                              const auto& value_of) {
    ss::ActivationRecorder recorder(folder / name, options);
    for (std::size_t i = 0; i < 2 * each; ++i) recorder.record("x", value_of(i));
    recorder.close();
  };
  const auto floats = [](std::size_t size) { return ss::Tensor::own(std::vector<float>(size, 1)); };
  record_all("b", {}, [&](std::size_t) { return floats(4); });
  SUBCASE("its shape") {
    record_all("a", {}, [&](std::size_t i) { return floats(i < each ? 4 : 5); });
    const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
    REQUIRE(found.rows.size() == 2 * each);
    for (std::size_t i = 0; i < 2 * each; ++i)
      CHECK(found.rows.verdict(i) == (i < each ? Verdict::equal : Verdict::shape));
  }
  SUBCASE("the dtype that it had") {
    record_all("a", {.precision = ss::Precision::f32}, [&](std::size_t i) {
      return i < each ? floats(4) : ss::Tensor::own(std::vector<double>(4, 1));
    });
    const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
    REQUIRE(found.rows.size() == 2 * each);
    for (std::size_t i = 0; i < 2 * each; ++i)
      CHECK(found.rows[i].detail == (i < each ? "" : "F32, was F64 and F32"));
  }
  SUBCASE("how it was kept") {
    record_all("a", {.rules = {{.keep = ss::Keep::slice, .slices = ss::parse_slices("0:4")}}},
               [&](std::size_t) { return floats(5); });
    const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
    REQUIRE(found.rows.size() == 2 * each);
    for (std::size_t i = 0; i < 2 * each; ++i) {
      CHECK(found.rows[i].verdict == Verdict::kind);
      CHECK(found.rows[i].detail == "kept as slice and as full");
    }
  }
}

TEST_CASE("small tensors are counted once where the last record is none") {
  const ss::test::Folder folder;
  constexpr std::size_t count = 5000;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> numbers(100, static_cast<float>(i));
      if (*name == 'b' && i >= count / 2) numbers[7] += 1;
      recorder.record("x", ss::Tensor::own(std::move(numbers)));
    }
    recorder.record("x", std::int64_t{7});
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.coverage.tensors == count);
  CHECK(found.coverage.compared_elements == 100 * count);
  REQUIRE(found.rows.size() >= count);
  for (std::size_t i = 0; i < count; ++i)
    CHECK(found.rows.verdict(i) == (i < count / 2 ? Verdict::equal : Verdict::different));
  CHECK(found.rows[count - 1].metrics->max_absolute == 1);
  CHECK(found.rows[count - 1].metrics->worst->index == 7);
}
