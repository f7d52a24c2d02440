// Conversions in blocks that stay in the L2 cache, against memcpy of the bytes that they write.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>

namespace {

using safestructures::DType;

constexpr std::size_t count = 64 * 1024;

void copy_bytes(benchmark::State& state) {
  const std::vector<std::byte> source(count * 4, std::byte{1});
  std::vector<std::byte> target(source.size());
  for (auto _ : state) {
    std::memcpy(target.data(), source.data(), source.size());
    benchmark::DoNotOptimize(target.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK(copy_bytes)->Name("memcpy of 256 KiB");

void convert_elements(benchmark::State& state, DType from, DType to) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i % 2);
  std::vector<std::byte> source(count * bit_width(from) / 8);
  safestructures::convert_elements(DType::F32, std::as_bytes(std::span(numbers)), from, source,
                                   count);
  std::vector<std::byte> target(count * bit_width(to) / 8);
  for (auto _ : state) {
    safestructures::convert_elements(from, source, to, target, count);
    benchmark::DoNotOptimize(target.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(target.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
#define CONVERSION(from, to) \
  BENCHMARK_CAPTURE(convert_elements, from##_to_##to, DType::from, DType::to)
CONVERSION(F16, F32);
CONVERSION(BF16, F32);
CONVERSION(F64, F32);
CONVERSION(F32, F16);
CONVERSION(F32, BF16);
CONVERSION(F32, F64);
CONVERSION(F64, F16);
CONVERSION(F64, BF16);
CONVERSION(BF16, F64);
CONVERSION(BF16, F16);
CONVERSION(BOOL, F32);
CONVERSION(I16, F32);
CONVERSION(I64, F64);
CONVERSION(I64, I32);
CONVERSION(U8, F32);
CONVERSION(F32, U8);
CONVERSION(F8_E4M3, F32);
CONVERSION(F32, F8_E4M3);

}  // namespace
