// The container's header, and how it grows with the number of tensors.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <safestructures/formats/safetensors.hpp>
#include "keep_memory.hpp"

namespace {

namespace st = safestructures::safetensors;
using safestructures::Tensor;

class Tensors {
 public:
  explicit Tensors(std::size_t count) {
    names_.reserve(count);
    items_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::array<char, 40> name{};
      std::snprintf(name.data(), name.size(), "layers.%07zu.weight", i);
      names_.emplace_back(name.data());
      items_.emplace_back(names_.back(), tensor_);
    }
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;

  [[nodiscard]] std::span<const st::Item> items() const { return items_; }

 private:
  std::array<float, 4> numbers_{1, 2, 3, 4};
  Tensor tensor_ = Tensor::of<float>(numbers_);
  std::vector<std::string> names_;
  std::vector<st::Item> items_;
};

void parse_header(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::vector<std::byte> file = st::to_bytes(Tensors(count).items());
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof(length));
  const std::span<const std::byte> json = std::span(file).subspan(8, length);
  for (auto _ : state) {
    const st::Header header = st::Header::parse(json, file.size() - 8 - length);
    benchmark::DoNotOptimize(header.size());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(length));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(parse_header)->RangeMultiplier(10)->Range(100, 1'000'000)->Complexity(benchmark::oN);

// Header and 16 bytes of data for each tensor: what a file of small tensors costs before the disk.
void write_header(benchmark::State& state) {
  const Tensors tensors(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const std::vector<std::byte> file = st::to_bytes(tensors.items());
    benchmark::DoNotOptimize(file.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(write_header)->RangeMultiplier(10)->Range(100, 1'000'000)->Complexity(benchmark::oN);

}  // namespace
