/// \file
/// A recorder takes no more memory than it may. One whose memory runs out loses what it says, and
/// nothing that was written before.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>

#include "support/counting_memory.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using counting_memory::Ends;

/// Calls what may run out of memory. \returns whether it did
template <class Call>
bool runs_out(const Call& call) {
  try {
    call();
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

std::vector<std::string> names_of(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const ss::Record& record : ss::Recording(folder)) {
    CHECK(record.as<std::vector<float>>().front() == 1);
    names.push_back(record.name());
  }
  return names;
}

}  // namespace

TEST_CASE("memory that runs out in the background costs no record that was flushed") {
  // Of a tensor of its own, rows, and a structure, whose headers are made by different calls.
  const std::vector<float> large(5000, 1);
  const std::vector<float> small(4, 1);
  long told = 0;
  const auto run_out = [&](bool is_large, long allocations, Ends ends) {
    const ss::test::Folder folder;
    const std::filesystem::path run = folder / "run";
    ss::RecorderReport report;
    {
      ss::ActivationRecorder recorder(run);
      for (int i = 0; i < 40; ++i)
        recorder.record("out" + std::to_string(i % 10), i % 3 == 0 ? large : small);
      REQUIRE(recorder.flush() == 40);
      counting_memory::is_spared = true;
      counting_memory::end_after(allocations, ends);
      const bool is_told = runs_out([&] {
        recorder.record("other", is_large ? large : small);
        recorder.record("map", std::vector<std::vector<float>>{{1}, {2}});
        recorder.flush();
      });
      if (ends == Ends::once) counting_memory::go_on();
      told += is_told ? 1 : 0;
      runs_out([&] { recorder.close(); });
      counting_memory::go_on();
      counting_memory::is_spared = false;
      report = recorder.report();
    }
    CHECK(ss::recover_recording(run).losses == std::vector<std::string>{});
    CHECK(report.written >= 40);
    std::size_t there = 0;
    for (const ss::Record& record : ss::Recording(run)) {
      static_cast<void>(record.value());
      ++there;
    }
    CHECK(there == report.written);
  };
  for (const bool is_large : {false, true}) {
    for (const Ends ends : {Ends::once, Ends::for_good}) {
      CAPTURE(is_large);
      CAPTURE(static_cast<int>(ends));
      told = 0;
      for (long allocations = 0; allocations < 60; ++allocations) {
        CAPTURE(allocations);
        run_out(is_large, allocations, ends);
      }
      CHECK(told > 10);
    }
  }
}

TEST_CASE("a scope for which there is no memory is not in the names of what is recorded") {
  const ss::test::Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  {
    const auto outer = recorder.scope("m");
    // One more than fits without memory of its own.
    const std::string name = "1234567890123";
    counting_memory::end_after(0, Ends::once);
    const bool is_told = runs_out([&] { static_cast<void>(recorder.scope(name)); });
    counting_memory::go_on();
    CHECK(is_told);
    recorder.record("out", std::vector<float>{1});
  }
  recorder.close();
  CHECK(names_of(folder / "run") == std::vector<std::string>{"m.out"});
}

TEST_CASE("out of memory anywhere in opening, following or recovering a run is bad_alloc") {
  const ss::test::Folder folder;
  const std::filesystem::path run = folder / "run";
  {
    ss::ActivationRecorder recorder(run, {.segment_bytes = 1 << 12U});
    for (int i = 0; i < 8; ++i) recorder.record("out", std::vector<float>(1000, 1));
    recorder.close();
  }
  for (const Ends ends : {Ends::once, Ends::for_good}) {
    counting_memory::run_out(
        ends,
        [&] {
          ss::Recording reading(run);
          reading.refresh();
          return reading.size() == 8;
        },
        [](bool) {});
    counting_memory::run_out(
        ends, [&] { return ss::recover_recording(run).losses.empty(); }, [](bool) {});
    counting_memory::run_out(
        ends,
        [&] {
          std::filesystem::remove_all(folder / "new");
          const ss::ActivationRecorder recorder(folder / "new");
          return true;
        },
        [](bool) {});
  }
}

TEST_CASE("what waits and what is kept for others to come take the memory they may") {
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  constexpr std::size_t memory = 24 * mebibyte;
  // Buffers of another size would stay, and 1.4 MB take a huge page.
  const std::vector<std::vector<std::size_t>> cases = {{mebibyte, 3 * mebibyte}, {1'400'000}};
  for (const std::vector<std::size_t>& sizes : cases) {
    CAPTURE(sizes.size());
    const ss::test::Folder folder;
    const std::size_t most = counting_memory::peak_of([&] {
      ss::ActivationRecorder recorder(folder / "run", {.memory = memory});
      for (const std::size_t size : sizes) {
        const std::vector<float> values(size / sizeof(float), 1);
        for (int i = 0; i < 100; ++i) recorder.record("out", values);
        recorder.flush();
      }
    });
    // An eighth, as not all of a block is used; one record and its original; headers and queues.
    CHECK(most < memory + memory / 8 + 2 * sizes.back() + 4 * mebibyte);
  }
}

TEST_CASE("the memory of records does not come from the heap, which would keep it") {
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  const ss::test::Folder folder;
  ss::ActivationRecorder recorder(
      folder / "run",
      {.rules = {{.names = "half", .precision = ss::Precision::f16}, {.names = "*"}}});
  std::vector<ss::Tensor> tensors;
  for (std::size_t size = 100'000; size < 12'000'000; size = size * 5 / 4) {
    const std::uint64_t rows = size / sizeof(float) / 100;
    const auto values = std::make_shared<std::vector<float>>(100 * rows, 1.0F);
    const auto bytes = std::as_bytes(std::span(*values));
    tensors.push_back(ss::Tensor::share(ss::DType::F32, {rows, 100}, bytes, values));
    // Column by column.
    const std::array<std::int64_t, 2> strides{4, 4 * static_cast<std::int64_t>(rows)};
    tensors.push_back(
        ss::Tensor::strided(ss::DType::F32, {rows, 100}, strides, bytes.data(), values));
  }
  counting_memory::largest = 0;
  for (const ss::Tensor& tensor : tensors)
    for (const std::string name : {"half", "whole"}) recorder.record(name, tensor);
  recorder.close();
  CHECK(counting_memory::largest.load() < mebibyte);
}

TEST_CASE("no more of a moved-in value is held than is kept") {
  constexpr std::size_t side = 1000;
  const auto whole = [] {
    return ss::Tensor::own(std::vector<float>(side * side, 1), {side, side});
  };
  const std::vector<ss::KeepRule> everything;
  const std::vector<ss::KeepRule> row = {
      {.keep = ss::Keep::slice, .slices = ss::parse_slices("0")}};
  const ss::test::Folder folder;
  int runs = 0;
  const auto check = [&](const std::vector<ss::KeepRule>& rules, const auto& make) {
    CAPTURE(runs);
    ss::ActivationRecorder recorder(folder / std::to_string(runs++), {.rules = rules});
    recorder.record("first", 1);  // What the recorder takes itself is there.
    recorder.flush();
    const std::size_t before = counting_memory::held;
    recorder.record("out", make());
    // Pools give 2 MiB at a time.
    CHECK(counting_memory::held < before + sizeof(float) * side * side * 3 / 4);
  };
  check(row, whole);
  check(row, [&] { return ss::Value::dict({{"x", whole()}}); });
  check(everything, [&] { return whole().slice(ss::parse_slices(":, :10")); });
  check(everything,
        [&] { return ss::Value::dict({{"x", whole().slice(ss::parse_slices(":, :10"))}}); });
}
