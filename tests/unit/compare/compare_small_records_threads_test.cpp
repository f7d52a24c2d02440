/// \file
/// Small records of two recordings, compared on several threads.
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/compare/compare.hpp>
#include <safestructures/data/thread_limit.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>

#include "support/folder.hpp"

namespace ss = safestructures;

namespace {

void check_traced_like_one_thread(const ss::Comparison& found, const ss::test::Folder& folder) {
  const ss::detail::ThreadLimit one(1);
  const ss::Comparison alone = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.culprits.size() == alone.culprits.size());
  for (std::size_t i = 0; i < found.culprits.size(); ++i) {
    CHECK(found.culprits[i].name == alone.culprits[i].name);
    CHECK(found.culprits[i].row == alone.culprits[i].row);
    CHECK(found.culprits[i].calls == alone.culprits[i].calls);
    CHECK(found.culprits[i].score == alone.culprits[i].score);
  }
  REQUIRE(found.rows.size() == alone.rows.size());
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const ss::ComparisonRow& row = found.rows[i];
    const ss::ComparisonRow& expected = alone.rows[i];
    if (row.growth != expected.growth || row.makes_error != expected.makes_error ||
        row.origin->evidence != expected.origin->evidence ||
        row.origin->input_row != expected.origin->input_row ||
        row.origin->amplification != expected.origin->amplification)
      FAIL(i);
  }
}

}  // namespace

TEST_CASE("many small records are compared with those in their places, on several threads") {
  constexpr std::size_t count = 50'000;
  const ss::test::Folder folder;
  for (const char* name : {"a", "b", "longer"}) {
    ss::ActivationRecorder recorder(folder / name, {.segment_bytes = 1U << 20U});
    const std::size_t size = name == std::string("longer") ? count + 1 : count;
    for (std::size_t i = 0; i < size; ++i) {
      recorder.step(static_cast<std::int64_t>(i / 5));
      std::vector<float> one(4, static_cast<float>(i));
      if (i % 1000 == 999 && name != std::string("b")) one[2] += 0.5F * one[2];
      recorder.record("layer" + std::to_string(i % 5), std::move(one));
    }
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.rows.size() == count);
  CHECK(found.differences() == count / 1000);
  CHECK(found.coverage.elements == 4 * count);
  REQUIRE(found.first_divergence() != nullptr);
  CHECK(found.first_divergence()->record->sequence == 999);
  for (std::size_t i = 0; i < count; i += 333) {
    CAPTURE(i);
    const ss::ComparisonRow& row = found.rows[i];
    CHECK(row.path == "layer" + std::to_string(i % 5));
    CHECK(row.record->sequence == i);
    CHECK(row.record->step == static_cast<std::int64_t>(i / 5));
    CHECK(row.metrics->norm_b == doctest::Approx(2.0 * static_cast<double>(i)));
    CHECK((row.verdict == ss::Verdict::different) == (i % 1000 == 999));
  }
  // Each thread traces the errors of steps of its own.
  REQUIRE(found.culprits.size() == 1);
  CHECK(found.culprits[0].name == "layer4");
  CHECK(found.culprits[0].row == 999);
  CHECK(found.culprits[0].calls == count / 1000);
  check_traced_like_one_thread(found, folder);
  // Where not all are alike, those that are give the same.
  const ss::Comparison longer = ss::compare_files(folder / "longer", folder / "b");
  REQUIRE(longer.rows.size() == count + 1);
  CHECK(longer.rows.verdict(count) == ss::Verdict::only_a);
  for (std::size_t i = 0; i < count; ++i)
    if (found.rows.verdict(i) != longer.rows.verdict(i)) FAIL(i);
  const ss::Comparison some =
      ss::compare_files(folder / "a", folder / "b", {.only = {"layer3", "layer4"}});
  CHECK(some.rows.size() == 2 * count / 5);
  CHECK(some.coverage.filtered == 3 * count / 5);
  CHECK(some.differences() == count / 1000);
}

TEST_CASE("the noise of many small records is found on several threads, in whatever order it is") {
  constexpr std::size_t count = 40'000;
  const ss::test::Folder folder;
  for (const std::string name : {"a", "b", "again", "backwards"}) {
    ss::ActivationRecorder recorder(folder / name, {.segment_bytes = 1U << 20U});
    const float noise = name == "a" ? 0 : name == "b" ? 1e-3F : -1e-3F;
    for (std::size_t i = 0; i < count; ++i) {
      recorder.step(static_cast<std::int64_t>(i / 5));
      const std::size_t layer = name == "backwards" ? 4 - i % 5 : i % 5;
      const std::size_t place = i / 5 * 5 + layer;
      std::vector<float> one(4, static_cast<float>(place + 1));
      for (float& number : one) number *= 1 + noise * (place % 1000 == 995 && name == "b" ? 50 : 1);
      recorder.record("layer" + std::to_string(layer), std::move(one));
    }
    recorder.close();
  }
  for (const char* noise : {"again", "backwards"}) {
    const ss::Comparison found =
        ss::compare_files(folder / "a", folder / "b", {.noise = {folder / noise}});
    REQUIRE(found.rows.size() == count);
    CHECK(found.coverage.without_noise == 0);
    CHECK(found.differences() == count / 1000);
    for (std::size_t i = 0; i < count; ++i)
      if ((found.rows.verdict(i) == ss::Verdict::different) != (i % 1000 == 995)) FAIL(i);
    CHECK(found.rows[995].noise->relative_l2.value() == doctest::Approx(1e-3).epsilon(0.01));
    // Nothing went into the first layer, and no layer does better than its noise.
    CHECK(found.culprits.at(0).score.value() == doctest::Approx(50).epsilon(0.05));
    const ss::detail::ThreadLimit one(1);
    const ss::Comparison alone =
        ss::compare_files(folder / "a", folder / "b", {.noise = {folder / noise}});
    for (std::size_t i = 0; i < count; i += 333) {
      CHECK(alone.rows[i].noise->excess == found.rows[i].noise->excess);
      CHECK(alone.rows[i].detail == found.rows[i].detail);
    }
  }
}

TEST_CASE("several threads look at the rows of small records, and at the records") {
  constexpr std::size_t count = 2000;
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::size_t i = 0; i < count; ++i)
      recorder.record("layer" + std::to_string(i % 5),
                      std::vector<float>(4, static_cast<float>(name[0] - 'a' + 1)));
    recorder.close();
  }
  const ss::Recording run(folder / "b");
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.rows.size() == count);
  const auto look = [&](std::size_t& right) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_row = found.rows[i].record->sequence == i &&
                          found.rows[i].metrics->max_absolute == 1 &&
                          found.rows.verdict(i) == ss::Verdict::different;
      const bool is_record = run[i].sequence() == i && run[i].as<std::vector<float>>()[3] == 2;
      if (is_row && is_record && run.find_call("layer4", i / 5)->sequence() == i / 5 * 5 + 4)
        ++right;
    }
  };
  std::vector<std::size_t> right(3);
  std::vector<std::thread> threads;
  for (std::size_t& one : right) threads.emplace_back([&] { look(one); });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<std::size_t>(3, count));
}

TEST_CASE("steps that come again are traced as one, however many threads there are") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::size_t i = 0; i < 40'000; ++i) {
      recorder.step(static_cast<std::int64_t>(i % 7));
      std::vector<float> one(4, static_cast<float>(i + 1));
      if (i % 1000 == 999 && name == std::string("a")) one[2] *= 1.5F;
      recorder.record("layer" + std::to_string(i % 5), std::move(one));
    }
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.differences() == 40);
  check_traced_like_one_thread(found, folder);
}
