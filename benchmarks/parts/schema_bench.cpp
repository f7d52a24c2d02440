// The schema, and how it grows with the number of nodes. A dict as in W4 is 11 nodes.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/value.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "keep_memory.hpp"

namespace {

using safestructures::Tensor;
using safestructures::Value;
namespace schema = safestructures::schema;

constexpr std::int64_t nodes_of_a_dict = 11;
constexpr std::array<float, 4> numbers = {1, 2, 3, 4};

Value dicts(std::int64_t nodes) {
  std::vector<Value> items;
  for (std::int64_t i = 0; i < nodes / nodes_of_a_dict; ++i) {
    Value dict = Value::dict();
    dict.insert("id", i);
    dict.insert("score", static_cast<double>(i) * 0.37);
    dict.insert("label", "sample number " + std::to_string(i));
    dict.insert("valid", i % 2 == 0);
    dict.insert("features", Tensor::of<float>(numbers));
    items.push_back(std::move(dict));
  }
  return Value::list(std::move(items));
}

void set_counters(benchmark::State& state, std::size_t bytes) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.SetComplexityN(state.range(0));
}

void write_schema(benchmark::State& state) {
  const Value root = dicts(state.range(0));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const schema::Written written = schema::write(root);
    bytes = written.text.size();
    benchmark::DoNotOptimize(written.text.data());
  }
  set_counters(state, bytes);
}
BENCHMARK(write_schema)->RangeMultiplier(10)->Range(100, 1'000'000)->Complexity(benchmark::oN);

void read_schema(benchmark::State& state) {
  const Value root = dicts(state.range(0));
  const schema::Written written = schema::write(root);
  const Tensor tensor = Tensor::of<float>(numbers);
  const schema::TensorLookup lookup = [&](std::string_view) { return std::optional(tensor); };
  for (auto _ : state) {
    const Value read = schema::read(written.text, lookup);
    benchmark::DoNotOptimize(read.size());
  }
  set_counters(state, written.text.size());
}
BENCHMARK(read_schema)->RangeMultiplier(10)->Range(100, 1'000'000)->Complexity(benchmark::oN);

}  // namespace
