/// \file
/// Comparing on two threads: what progress tells, errors of either thread, and several at once.
#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>

namespace ss = safestructures;

namespace {

// Pieces are of 2^18 elements: enough for many of them on each thread.
constexpr std::size_t size = (std::size_t{1} << 22U) + 5;

std::vector<float> numbers(float offset) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i % 1001) + offset;
  return values;
}

}  // namespace

TEST_CASE("progress tells of every element once, on the calling thread") {
  const std::vector<float> a = numbers(0), b = numbers(0.5F);
  std::uint64_t told = 0;
  std::uint64_t calls = 0;
  const std::thread::id here = std::this_thread::get_id();
  bool is_here = true;
  const ss::TensorMetrics found = ss::compare_tensors(
      ss::Tensor::of<float>(a), ss::Tensor::of<float>(b), {}, {}, [&](std::uint64_t more) {
        told += more;
        ++calls;
        is_here &= std::this_thread::get_id() == here;
      });
  CHECK(told == size);
  CHECK(calls > 1);
  CHECK(is_here);
  CHECK(found.differing == size);
  CHECK(found.max_absolute == 0.5);
}

TEST_CASE("progress of a whole comparison ends at the bytes of both sides") {
  ss::Value a = ss::Value::dict();
  ss::Value b = ss::Value::dict();
  for (const char* name : {"w", "v"}) {
    a.insert(name, ss::Tensor::own(numbers(0)));
    b.insert(name, ss::Tensor::own(numbers(1)));
  }
  std::uint64_t told = 0;
  std::uint64_t all = 0;
  ss::CompareOptions options;
  options.progress = [&](std::uint64_t more, std::uint64_t whole) {
    told += more;
    all = whole;
  };
  static_cast<void>(ss::compare(a, b, options));
  CHECK(all > 0);
  CHECK(told == all);
}

TEST_CASE("an element that cannot be read ends the comparison, whichever thread met it") {
  for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
    std::vector<std::uint8_t> bytes(size);
    bytes[at] = 2;
    const ss::Tensor bad =
        ss::Tensor::share(ss::DType::BOOL, {size}, std::as_bytes(std::span(bytes)), nullptr);
    CHECK_THROWS_AS(static_cast<void>(ss::compare_tensors(bad, bad)), ss::Error);
  }
}

TEST_CASE("several threads compare the same tensors") {
  const std::vector<float> a = numbers(0), b = numbers(0.25F);
  const ss::Tensor left = ss::Tensor::of<float>(a);
  const ss::Tensor right = ss::Tensor::of<float>(b);
  const ss::TensorMetrics expected = ss::compare_tensors(left, right);
  std::vector<ss::TensorMetrics> found(3);
  std::vector<std::thread> threads;
  for (ss::TensorMetrics& one : found)
    threads.emplace_back([&] { one = ss::compare_tensors(left, right); });
  for (std::thread& thread : threads) thread.join();
  for (const ss::TensorMetrics& one : found) {
    CHECK(one.rmse == expected.rmse);
    CHECK(one.worst->index == expected.worst->index);
  }
}
