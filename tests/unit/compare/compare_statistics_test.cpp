/// \file
/// Tensors of which one side or both have the statistics alone.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include <safestructures/tools/sketch.hpp>
#include <safestructures/tools/statistics.hpp>
#include "support/folder.hpp"
#include "support/gaussian.hpp"

namespace {

namespace ss = safestructures;
using ss::Verdict;

std::vector<float> gaussian(std::size_t count, unsigned seed, double size = 1) {
  return ss::test::gaussian<float>(count, seed, size);
}

std::vector<float> sum(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> made(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) made[i] = a[i] + b[i];
  return made;
}

template <class T>
ss::Tensor tensor(const std::vector<T>& numbers) {
  return ss::Tensor::own(std::vector<T>(numbers));
}

/// What the statistics of two tensors say.
template <class T>
ss::ComparisonRow row_of(const std::vector<T>& a, const std::vector<T>& b,
                         const ss::CompareOptions& options = {}) {
  const auto value = [](const std::vector<T>& of) {
    return ss::Value::dict({{"x", ss::statistics_value(tensor(of))}});
  };
  const ss::Comparison found = ss::compare(value(a), value(b), options);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.coverage.statistics == 1);
  CHECK(found.coverage.tensors == 0);
  return found.rows[0];
}

/// The mean is 0, the extremes are -3 and 3.
std::vector<double> gaussian_of_deviation_one(std::size_t count) {
  std::vector<double> numbers = ss::test::gaussian<double>(count / 2 - 1, 1, 1);
  double squares = 0;
  for (double& number : numbers) number = std::clamp(number, -2.5, 2.5);
  for (const double number : numbers) squares += number * number;
  const double scale = std::sqrt((static_cast<double>(count) / 2 - 9) / squares);
  for (double& number : numbers) number *= scale;
  const std::vector<double> half = numbers;
  for (const double number : half) numbers.push_back(-number);
  numbers.push_back(3);
  numbers.push_back(-3);
  return numbers;
}

}  // namespace

TEST_CASE("a sketch is the same wherever it is made") {
  // Computed in Python after docs/recording.md.
  const std::vector<float> values = {1, 2, 4, 8, 16, 32};
  const ss::TensorSketch found = ss::sketch(ss::Tensor::of<float>(values, {2, 3}));
  std::ostringstream sums;
  for (std::size_t i = 0; i < ss::TensorSketch::size; ++i)
    if (found.sums[i] != 0) sums << i << ':' << found.sums[i] << ' ';
  CHECK(sums.str() == "38:1 45:2 165:32 213:4 216:-8 244:-16 ");
  CHECK(found.hash == 0xB9E8763F79CDD766U);
  // Neither the dtype nor where the memory is changes the sums, the shape does.
  const std::vector<double> wide(values.begin(), values.end());
  CHECK(ss::sketch(ss::Tensor::of<double>(wide, {2, 3})).sums == found.sums);
  CHECK(ss::sketch(ss::Tensor::of<float>(values, {3, 2})).sums != found.sums);
  const std::vector<float> turned = {1, 8, 2, 16, 4, 32};
  const std::vector<std::size_t> order = {1, 0};
  CHECK(ss::sketch(ss::Tensor::of<float>(turned, {3, 2}).permute(order)) == found);
  const std::vector<float> odd = {1, NAN, 4, INFINITY, 16, 32};
  const std::vector<float> even = {1, 0, 4, 0, 16, 32};
  CHECK(ss::sketch(ss::Tensor::of<float>(odd)).sums ==
        ss::sketch(ss::Tensor::of<float>(even)).sums);
}

TEST_CASE("the estimates are off by what is said") {
  constexpr int trials = 400;
  for (const double size : {1e-6, 1e-3, 1.0}) {
    CAPTURE(size);
    double squares = 0;
    double bias = 0;
    double angles = 0;
    for (int i = 0; i < trials; ++i) {
      const auto seed = static_cast<unsigned>(i);
      const std::vector<float> b = gaussian(3000, 2 * seed);
      const std::vector<float> a = sum(b, gaussian(3000, 2 * seed + 1, size));
      const ss::ComparisonRow row = row_of(a, b, {.rtol = 1e3});
      const ss::TensorMetrics exact = ss::compare_tensors(tensor(a), tensor(b));
      const double off = *row.statistics->relative_l2 / *exact.relative_l2 - 1;
      squares += off * off / trials;
      bias += (std::pow(1 + off, 2) - 1) / trials;
      const double angle = *row.statistics->cosine_distance / *exact.cosine_distance - 1;
      angles += angle * angle / trials;
      CHECK(std::abs(off) < 6 * ss::StatisticsMetrics::estimate_deviation);
    }
    CHECK(std::sqrt(squares) < 1.2 * ss::StatisticsMetrics::estimate_deviation);
    CHECK(std::sqrt(squares) > 0.8 * ss::StatisticsMetrics::estimate_deviation);
    CHECK(std::abs(bias) < 4 * 0.088 / std::sqrt(trials));
    CHECK(std::sqrt(angles) < 0.12);
  }
}

TEST_CASE("equal bytes are equal, noise within the tolerance is close, more is different") {
  const std::vector<float> b = gaussian(5000, 1);
  ss::ComparisonRow row = row_of(b, b);
  CHECK(row.verdict == Verdict::equal);
  CHECK(row.detail == "by statistics");
  CHECK(*row.statistics->has_same_hash);
  CHECK(*row.statistics->distance == 0);

  row = row_of(sum(b, gaussian(5000, 2, 1e-6)), b);
  CHECK(row.verdict == Verdict::close);
  CHECK(!*row.statistics->has_same_hash);

  row = row_of(sum(b, gaussian(5000, 2, 1e-2)), b, {.atol = 3e-3});
  CHECK(row.verdict == Verdict::different);
  CHECK(row.statistics->norm_ratio.value() == doctest::Approx(1).epsilon(1e-3));

  // What is within its tolerance everywhere is never found to differ.
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<float> c = gaussian(50, 10 + seed);
    std::vector<float> near = c;
    for (std::size_t i = 0; i < near.size(); ++i)
      near[i] +=
          static_cast<float>((0.01 + 0.01 * std::abs(c[i])) * (seed % 2 == 0 ? 0.99 : -0.99));
    CAPTURE(seed);
    CHECK(row_of(near, c, {.rtol = 0.01, .atol = 0.01}).verdict == Verdict::close);
  }
}

TEST_CASE("the proof of a difference is reported") {
  const std::vector<float> b = gaussian(1000, 1);
  const auto detail = [&](const auto& change, const ss::CompareOptions& options = {}) {
    std::vector<float> a = b;
    change(a);
    const ss::ComparisonRow row = row_of(a, b, options);
    CHECK(row.verdict == Verdict::different);
    return row.detail;
  };
  CHECK(detail([](auto& a) { a[3] = NAN; }) == "by statistics: 1 and 0 NaN");
  CHECK(detail([](auto& a) { a[3] = -INFINITY; }) == "by statistics: 1 and 0 infinities");
  CHECK(detail([](auto& a) { a[3] = -100; }).starts_with("by statistics: minimum -100 and -"));
  CHECK(detail([](auto& a) { a[3] = 100; }).starts_with("by statistics: maximum 100 and "));
  CHECK(detail(
            [](auto& a) {
              for (float& x : a) x += 0.01F;
            },
            {.atol = 0.009})
            .starts_with("by statistics: m"));
  // The same numbers in another order: the sketch alone tells.
  const std::string moved =
      detail([](auto& a) { std::swap_ranges(a.begin(), a.begin() + 400, a.begin() + 500); });
  CHECK(moved.starts_with("by statistics: an error of about "));
  CHECK(
      row_of(std::vector<std::int64_t>{1, 2, 3, 3}, std::vector<std::int64_t>{1, 3, 2, 3}).detail ==
      "by statistics: different hashes");
  CHECK(row_of(std::vector<float>{}, std::vector<float>{}).verdict == Verdict::nothing);
}

TEST_CASE(
    "statistics without a sketch say what they can, and what is none of them is compared as it "
    "is") {
  const std::vector<float> b = gaussian(100, 1);
  const auto without = [](const std::vector<float>& of, const std::vector<std::string>& fields) {
    const ss::Value whole = ss::statistics_value(tensor(of));
    std::vector<ss::Entry> kept;
    for (const ss::Entry& entry : whole.entries())
      if (std::ranges::find(fields, entry.key.as_string()) == fields.end()) kept.push_back(entry);
    return ss::Value::dict({{"x", ss::Value::structure("Statistics", std::move(kept))}});
  };
  std::vector<float> a = b;
  std::swap(a[1], a[2]);
  const ss::Comparison old =
      ss::compare(without(a, {"hash", "sketch"}), without(b, {"hash", "sketch"}));
  REQUIRE(old.rows.size() == 1);
  CHECK(old.rows[0].verdict == Verdict::close);
  CHECK(!old.rows[0].statistics->relative_l2);
  CHECK(!old.rows[0].statistics->has_same_hash);
  CHECK(
      old.notes ==
      std::vector<std::string>{
          "tensors compared by their statistics, which may hide differences of single numbers: 1"});
  for (const char* const field : {"dtype", "shape", "count", "min", "histogram"}) {
    CAPTURE(field);
    const ss::Comparison found = ss::compare(without(a, {field}), without(b, {field}));
    CHECK(found.coverage.statistics == 0);
    CHECK(found.coverage.values > 0);
  }
}

TEST_CASE("a tolerance of a dtype is that of statistics too") {
  const std::vector<float> b = gaussian(1000, 1);
  std::vector<float> a = b;
  for (float& number : a) number *= 1.01F;
  CHECK(row_of(a, b).verdict == Verdict::different);
  const auto loose = [&](ss::DType dtype) {
    return row_of(a, b, {.tolerances = {{"*", {0.1, 0}, dtype}}});
  };
  CHECK(loose(ss::DType::F16).verdict == Verdict::different);
  CHECK(loose(ss::DType::F32).verdict == Verdict::close);
  CHECK(loose(ss::DType::F32).statistics->tolerance == ss::Tolerance{0.1, 0});
}

TEST_CASE("a tensor and the statistics of it under another name are suggested") {
  const ss::Tensor x = tensor(gaussian(100, 1));
  const ss::Tensor other = tensor(gaussian(100, 2));
  const ss::Comparison found = ss::compare(
      ss::Value::dict({{"x", x}, {"y", other}}),
      ss::Value::dict({{"b", ss::statistics_value(other)}, {"a", ss::statistics_value(x)}}));
  REQUIRE(found.suggestions.size() == 2);
  CHECK(found.suggestions[0].from == "/x");
  CHECK(found.suggestions[0].to == "/a");
  CHECK(found.suggestions[0].reason == "same statistics");
  CHECK(found.suggestions[1].to == "/b");
}

TEST_CASE("recordings are compared where one or both kept statistics, and culprits found") {
  const ss::test::Folder folder;
  const auto record = [&](const char* name, ss::Keep keep, float fault) {
    // The precision is that of tensors, not of what is known of them.
    ss::ActivationRecorder recorder(
        folder / name,
        {.rules = {{.keep = keep}},
         .precision = keep == ss::Keep::statistics ? ss::Precision::f16 : ss::Precision::preserve});
    std::vector<float> state = gaussian(2000, 1);
    for (int layer = 0; layer < 4; ++layer) {
      const std::string scope = "layer." + std::to_string(layer);
      recorder.record(scope + ".input", state);
      for (float& number : state) number = number * 0.9F + 0.1F;
      if (layer == 2)
        for (std::size_t i = 0; i < state.size(); i += 2) state[i] *= 1 + fault;
      recorder.record(scope, state);
    }
    recorder.close();
  };
  record("full-a", ss::Keep::full, 0.01F);
  record("full-b", ss::Keep::full, 0);
  record("a", ss::Keep::statistics, 0.01F);
  record("b", ss::Keep::statistics, 0);
  const ss::Comparison exact = ss::compare_files(folder / "full-a", folder / "full-b");
  for (const auto& names :
       {std::pair("a", "b"), std::pair("full-a", "b"), std::pair("a", "full-b")}) {
    const std::string a = names.first;
    const std::string b = names.second;
    CAPTURE(a);
    CAPTURE(b);
    const ss::Comparison found = ss::compare_files(folder / a, folder / b);
    REQUIRE(found.rows.size() == exact.rows.size());
    CHECK(found.coverage.statistics == 8);
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      CHECK(found.rows[i].verdict == exact.rows[i].verdict);
      if (exact.rows[i].verdict == Verdict::different)
        CHECK(*found.rows[i].statistics->relative_l2 ==
              doctest::Approx(*exact.rows[i].metrics->relative_l2).epsilon(0.2));
    }
    REQUIRE(found.culprits.size() == 1);
    CHECK(found.culprits[0].name == "layer.2");
  }
  CHECK(ss::compare_files(folder / "full-b", folder / "b").is_equal());
  std::ostringstream text;
  ss::compare_files(folder / "a", folder / "b").write_text(text, {.order = ss::RowOrder::call});
  CHECK(text.str().find("by statistics: ") != std::string::npos);
  CHECK(text.str().find("; 8 tensors by statistics\n") != std::string::npos);
  std::ostringstream json;
  ss::compare_files(folder / "a", folder / "b").write_json(json);
  CHECK(json.str().find(R"("statistics": {"count": 2000, "rtol": 1.3e-06, "atol": 1e-05, )"
                        R"("same_hash": true, "distance": 0.0, )") != std::string::npos);
  CHECK(json.str().find(R"("histogram_distance": 0.0, "quantile_distance": 0.0, "norm": [)") !=
        std::string::npos);
}

TEST_CASE("numbers that are distributed otherwise are told apart though their moments agree") {
  // Of both the mean is 0, the deviation 1, the extremes are -3 and 3.
  std::vector<double> b = gaussian_of_deviation_one(20'000);
  std::vector<double> a(b.size());
  const double rest =
      std::sqrt((static_cast<double>(a.size()) - 18) / (static_cast<double>(a.size()) - 2));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i % 2 == 0 ? rest : -rest;
  a[0] = 3, a[1] = -3;
  const auto kept = [](const std::vector<double>& of, bool has_quantiles) {
    std::vector<ss::Entry> fields;
    for (const ss::Entry& entry : ss::statistics_value(tensor(of)).entries()) {
      const std::string& name = entry.key.as_string();
      if (name != "sketch" && (has_quantiles || name != "quantiles")) fields.push_back(entry);
    }
    return ss::Value::dict({{"x", ss::Value::structure("Statistics", std::move(fields))}});
  };
  const auto row = [&](bool has_quantiles, double atol = 1e-3) {
    return ss::compare(kept(a, has_quantiles), kept(b, true), {.rtol = 0, .atol = atol}).rows.at(0);
  };
  const ss::ComparisonRow told = row(true);
  CHECK(told.statistics->mean_a == doctest::Approx(told.statistics->mean_b));
  CHECK(told.statistics->standard_deviation_a ==
        doctest::Approx(told.statistics->standard_deviation_b));
  CHECK(told.verdict == Verdict::different);
  CHECK(told.detail.starts_with("by statistics: quantile 0.001 of -0.999971 and -2.49"));
  // Of the median's neighbours one is +-1 and the other about 0, and the range is that of b.
  CHECK(*told.statistics->quantile_distance > 1 / 4.7 - 0.02);
  CHECK(*told.statistics->quantile_distance < 0.5);
  // A recording that is older is compared by the rest.
  const ss::ComparisonRow older = row(false);
  CHECK(older.verdict == Verdict::close);
  CHECK(!older.statistics->quantile_distance);
  CHECK(older.statistics->histogram_distance == told.statistics->histogram_distance);
  // What the tolerance allows is no difference.
  CHECK(row(true, 3).verdict == Verdict::close);
}

TEST_CASE("the distance of quantiles is a share of the reference's range") {
  std::vector<float> b(1001);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  std::vector<float> a = b;
  CHECK(row_of(a, b).statistics->quantile_distance == 0);
  for (float& x : a) x += 98;
  CHECK(*row_of(a, b).statistics->quantile_distance == doctest::Approx(0.1).epsilon(0.2));
  CHECK(row_of(a, b, {.atol = 98}).verdict == Verdict::close);
  // There is none without a range, beside infinities, or of nothing.
  CHECK(!row_of(std::vector<float>{1, 1}, std::vector<float>{2, 2}).statistics->quantile_distance);
  CHECK(row_of(std::vector<float>{2, 2}, std::vector<float>{2, 2}).statistics->quantile_distance ==
        0);
  const std::vector<float> ends = {-INFINITY, -INFINITY, INFINITY};
  CHECK(!row_of(std::vector<float>{1, 1, 1}, ends).statistics->quantile_distance);
  CHECK(row_of(ends, ends).statistics->quantile_distance == 0);
  std::vector<float> overflowed = b;
  std::fill(overflowed.end() - 100, overflowed.end(), INFINITY);
  CHECK(!row_of(overflowed, b).statistics->quantile_distance);
  CHECK(!row_of(std::vector<float>{}, std::vector<float>{}).statistics->quantile_distance);
}

TEST_CASE("quantiles never tell apart what is within its tolerance everywhere") {
  const std::vector<float> ends = {-INFINITY, 1, INFINITY};
  const std::vector<float> near = {-INFINITY, 1.0000001F, INFINITY};
  CHECK(row_of(near, ends).verdict == Verdict::close);
  // Half of the magnitude is half of the whole number, though all of a part.
  const std::vector<std::complex<float>> real(64, {1, 0});
  const std::vector<std::complex<float>> turned(64, {1, 0.49F});
  CHECK(row_of(turned, real, {.rtol = 0.5, .atol = 0}).verdict == Verdict::close);
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    // With a long tail: of -2 b the least is far from the least of b.
    std::vector<float> b = gaussian(1000, seed);
    for (float& x : b) x = std::exp(x);
    for (const double rtol : {1e-3, 0.3, 1.0, 3.0}) {
      CAPTURE(rtol);
      std::vector<float> a = b;
      for (std::size_t i = 0; i < a.size(); ++i)
        a[i] += static_cast<float>(0.999 * rtol * (seed % 2 == 0 ? 1 : -1)) * a[i];
      CHECK(row_of(a, b, {.rtol = rtol, .atol = 0}).verdict == Verdict::close);
    }
  }
}
