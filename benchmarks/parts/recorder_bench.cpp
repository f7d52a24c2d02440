// record() against memcpy of the same bytes, and the recorder as a whole against write() of them.
// TMPDIR says on which disk. Times are of bursts that the memory holds, with the writer at work.
#include <benchmark/benchmark.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/statistics.hpp>

#include "keep_memory.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t burst_bytes = std::size_t{128} << 20U;

/// A folder that is removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "recorder_bench.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the benchmark");
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(path_); }
  [[nodiscard]] fs::path next() { return path_ / std::to_string(count_++); }

 private:
  fs::path path_;
  int count_ = 0;
};

std::size_t burst_of(std::size_t size) {
  return std::clamp<std::size_t>(burst_bytes / size, 1, 20'000);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void set_counters(benchmark::State& state, std::size_t size, std::size_t count) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size * count));
  state.counters["each"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(count),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Into memory of a queue's size, as a recorder must: its bytes wait for the disk. `same` copies to
/// one place again and again, which stays in the cache.
void copy(benchmark::State& state, bool same) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::size_t count = burst_of(size);
  const std::vector<float> source(size / 4, 1);
  std::vector<std::byte> target(same ? size : size * count);
  std::memset(target.data(), 1, target.size());
  for (auto _ : state) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(target.data() + (same ? 0 : i * size), source.data(), size);
      benchmark::ClobberMemory();
    }
    state.SetIterationTime(seconds_since(start));
  }
  set_counters(state, size, count);
}

enum class How : std::uint8_t { copied, moved, watched };

void record(benchmark::State& state, How how) {
  const bool moved = how == How::moved;
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::size_t count = burst_of(size);
  Scratch scratch;
  const std::vector<float> source(size / 4, 1);
  ss::RecorderOptions options{.memory = 2 * burst_bytes};
  if (how == How::watched)
    options.watch.found = [&](const ss::WatchFinding&) { state.SkipWithError("a finding"); };
  ss::ActivationRecorder recorder(scratch.next(), options);
  for (int warm = 0; warm < 2; ++warm) {
    for (std::size_t i = 0; i < count; ++i) recorder.record("layer", source);
    recorder.flush();
  }
  std::vector<std::vector<float>> copies;
  for (auto _ : state) {
    if (moved) copies.assign(count, source);
    const auto start = Clock::now();
    if (moved)
      for (std::size_t i = 0; i < count; ++i) recorder.record("layer", std::move(copies[i]));
    else
      for (std::size_t i = 0; i < count; ++i) recorder.record("layer", source);
    state.SetIterationTime(seconds_since(start));
    recorder.flush();
  }
  set_counters(state, size, count);
}

void write_plain(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::size_t count = burst_of(size);
  const std::vector<float> source(size / 4, 1);
  Scratch scratch;
  for (auto _ : state) {
    const fs::path path = scratch.next();
    const std::vector<std::vector<float>> copies(count, source);
    const auto start = Clock::now();
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    for (std::size_t i = 0; i < count; ++i)
      if (::write(file, copies[i].data(), size) != static_cast<ssize_t>(size))
        state.SkipWithError("a write failed");
    ::close(file);
    state.SetIterationTime(seconds_since(start));
    fs::remove(path);
  }
  set_counters(state, size, count);
}

void write_records(benchmark::State& state, bool checksums) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::size_t count = burst_of(size);
  const std::vector<float> source(size / 4, 1);
  Scratch scratch;
  for (auto _ : state) {
    const fs::path path = scratch.next();
    // Moved in, so that the time is the writer's.
    std::vector<std::vector<float>> copies(count, source);
    const auto start = Clock::now();
    ss::ActivationRecorder recorder(path, {.memory = 4 * burst_bytes, .checksums = checksums});
    for (std::size_t i = 0; i < count; ++i) recorder.record("layer", std::move(copies[i]));
    recorder.close();
    state.SetIterationTime(seconds_since(start));
    fs::remove_all(path);
  }
  set_counters(state, size, count);
}

void open_recording(benchmark::State& state) {
  Scratch scratch;
  const fs::path path = scratch.next();
  const auto count = static_cast<int>(state.range(0));
  {
    const std::vector<float> source(64, 1);
    ss::ActivationRecorder recorder(path);
    for (int i = 0; i < count; ++i) {
      recorder.step(i / 100);
      recorder.record("layer" + std::to_string(i % 100), source);
    }
  }
  for (auto _ : state) {
    const ss::Recording run(path);
    benchmark::DoNotOptimize(run.find("layer7", count / 200));
  }
}

void statistics(benchmark::State& state, bool after_relu) {
  std::vector<float> values(static_cast<std::size_t>(state.range(0)) / 4);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float& value : values) value = after_relu ? std::max(normal(random), 0.0F) : normal(random);
  const ss::Tensor tensor = ss::Tensor::of<float>(values);
  for (auto _ : state) benchmark::DoNotOptimize(ss::statistics(tensor));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(256)->Arg(64 << 10)->Arg(4 << 20)->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(copy, to_one_place, true)->Apply(sizes);
BENCHMARK_CAPTURE(copy, to_fresh_places, false)->Apply(sizes);
BENCHMARK_CAPTURE(record, copied, How::copied)->Apply(sizes);
BENCHMARK_CAPTURE(record, watched, How::watched)->Apply(sizes);
// What is not timed takes longer than what is: their number is set.
BENCHMARK_CAPTURE(record, moved, How::moved)->Apply(sizes)->Iterations(20);
BENCHMARK(write_plain)->Apply(sizes)->Iterations(20);
BENCHMARK_CAPTURE(write_records, with_checksums, true)->Apply(sizes)->Iterations(20);
BENCHMARK_CAPTURE(write_records, without_checksums, false)->Apply(sizes)->Iterations(20);
BENCHMARK(open_recording)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(statistics, normal, false)->Arg(256)->Arg(64 << 10)->Arg(64 << 20);
BENCHMARK_CAPTURE(statistics, after_relu, true)->Arg(256)->Arg(64 << 10)->Arg(64 << 20);

}  // namespace
