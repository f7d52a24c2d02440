/// \file
/// Steps of threads that work on several inputs at once.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/safestructures.hpp>
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;

constexpr int layers = 6;
constexpr std::int64_t requests = 40;

/// What a model makes of one request; one layer of one request may have a fault.
void answer(ss::ActivationRecorder& recorder, std::int64_t request, bool has_fault) {
  const auto step = recorder.step_scope(request);
  const auto scope = recorder.scope("model");
  std::vector<float> state = {1, 2, 3, static_cast<float>(request)};
  for (int layer = 0; layer < layers; ++layer) {
    for (float& number : state) number = number * 0.5F + 1;
    if (has_fault && request == 17 && layer == 3) state[1] *= 1.25F;
    recorder.record("layer" + std::to_string(layer), state);
  }
}

/// Answers all requests, each on the thread that is free.
void serve(const std::filesystem::path& folder, std::size_t threads, bool has_fault) {
  ss::ActivationRecorder recorder(folder);
  std::atomic<std::int64_t> next = 0;
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < threads; ++i)
    workers.emplace_back([&] {
      for (std::int64_t request = 0; (request = next++) < requests;)
        answer(recorder, request, has_fault);
    });
  for (std::thread& worker : workers) worker.join();
  recorder.close();
}

}  // namespace

TEST_CASE("requests that are answered at once are compared each with itself") {
  const ss::test::Folder folder;
  serve(folder / "b", 1, false);
  serve(folder / "a", 4, false);
  serve(folder / "faulty", 4, true);
  const ss::Comparison equal = ss::compare_files(folder / "a", folder / "b");
  CHECK(equal.is_equal());
  CHECK(equal.coverage.tensors == static_cast<std::uint64_t>(requests * layers));
  const ss::Comparison found = ss::compare_files(folder / "faulty", folder / "b");
  // The layer itself, and those behind it, in its request alone.
  CHECK(found.differences() == layers - 3);
  REQUIRE(found.culprits.size() == 1);
  const ss::ComparisonRow& culprit = found.rows[found.culprits[0].row];
  CHECK(culprit.path == "model.layer3");
  CHECK(culprit.record->step == 17);
}

TEST_CASE("a thread's own step counts until its scope ends, the innermost first") {
  const ss::test::Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  recorder.step(1);
  {
    const auto outer = recorder.step_scope(10);
    recorder.record("x", 0);
    {
      auto inner = recorder.step_scope(-20);
      const auto moved = std::move(inner);
      recorder.step(2);
      recorder.record("x", 0);
    }
    std::thread([&] { recorder.record("other", 0); }).join();
    const auto scope = recorder.scope("s");
    recorder.record("x", 0);
  }
  recorder.record("x", 0);
  recorder.close();
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (const ss::Record& record : ss::Recording(folder / "run"))
    found.emplace_back(record.name(), record.step());
  CHECK(found == std::vector<std::pair<std::string, std::int64_t>>{
                     {"x", 10}, {"x", -20}, {"other", 2}, {"s.x", 10}, {"x", 2}});
}
