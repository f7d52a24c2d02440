// Codecs: C++ objects to a Value and back, without a file.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace codec_bench {

struct Particle {
  float x, y, z;
  double mass;
  std::int32_t kind;
};

struct Sample {
  std::int64_t id;
  std::string label;
  std::vector<float> features;
  std::variant<double, std::string> score;
};

}  // namespace codec_bench

namespace {

using safestructures::Value;

constexpr std::size_t count = 1000;

std::vector<codec_bench::Particle> particles() { return {count, {1, 2, 3, 1.5, 7}}; }

std::vector<codec_bench::Sample> samples() {
  return {count, {.id = 1, .label = "a label", .features = {1, 2, 3}, .score = 0.5}};
}

template <class T>
void encode(benchmark::State& state, T (*make)()) {
  const T object = make();
  for (auto _ : state) {
    const Value value = Value::from(object);
    benchmark::DoNotOptimize(value.size());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK_CAPTURE(encode, particles, particles);
BENCHMARK_CAPTURE(encode, samples, samples);

template <class T>
void decode(benchmark::State& state, T (*make)()) {
  const T object = make();
  const Value value = Value::from(object);
  for (auto _ : state) {
    const T decoded = value.as<T>();
    benchmark::DoNotOptimize(decoded.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK_CAPTURE(decode, particles, particles);
BENCHMARK_CAPTURE(decode, samples, samples);

}  // namespace
