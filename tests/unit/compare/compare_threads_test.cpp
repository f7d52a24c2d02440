/// \file
/// Comparing on two threads: what progress tells, errors of either thread, and several at once.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
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

TEST_CASE("many small tensors are compared at once, as each is alone") {
  // In groups of a few million numbers, with a large one in between.
  constexpr std::size_t count = 900;
  constexpr std::size_t most = 12'000;
  const std::vector<float> source = numbers(0.5F);
  ss::Value a = ss::Value::dict();
  ss::Value b = ss::Value::dict();
  std::vector<ss::TensorMetrics> expected;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = i == count / 2 ? size / 4 : (i * 37) % most;
    const std::string name = "t" + std::to_string(i);
    const auto left = std::span(source).subspan(i, length);
    const auto right = std::span(source).subspan(i + i % 3, length);
    a.insert(name, ss::Tensor::of<float>(left));
    b.insert(name, ss::Tensor::of<float>(right));
    expected.push_back(
        ss::compare_tensors(ss::Tensor::of<float>(left), ss::Tensor::of<float>(right)));
  }
  std::uint64_t told = 0;
  std::uint64_t all = 0;
  std::uint64_t calls = 0;
  bool is_here = true;
  ss::CompareOptions options;
  options.progress = [&, here = std::this_thread::get_id()](std::uint64_t more,
                                                            std::uint64_t whole) {
    told += more;
    all = whole;
    ++calls;
    is_here &= std::this_thread::get_id() == here;
  };
  const ss::Comparison found = ss::compare(a, b, options);
  CHECK(told == all);
  CHECK(calls > 2);
  CHECK(is_here);
  REQUIRE(found.rows.size() == count);
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(i);
    CHECK(found.rows[i].path == "/t" + std::to_string(i));
    CHECK(found.rows[i].metrics->differing == expected[i].differing);
    CHECK(found.rows[i].metrics->rmse == expected[i].rmse);
    const bool is_empty = expected[i].count == 0;
    CHECK(found.rows[i].verdict == (is_empty                 ? ss::Verdict::nothing
                                    : expected[i].is_exact() ? ss::Verdict::equal
                                                             : ss::Verdict::different));
    elements += expected[i].count;
  }
  CHECK(found.coverage.elements == elements);
  CHECK(found.coverage.tensors == count);
  CHECK(found.coverage.nothing == 1);
}

TEST_CASE("of many small tensors the first that cannot be read is named") {
  std::vector<std::uint8_t> good(64);
  std::vector<std::uint8_t> bad = good;
  bad[9] = 2;
  const auto of = [](const std::vector<std::uint8_t>& bytes) {
    return ss::Tensor::share(ss::DType::BOOL, {64}, std::as_bytes(std::span(bytes)), nullptr);
  };
  std::vector<ss::Value> items;
  for (std::size_t i = 0; i < 3'000; ++i)
    items.emplace_back(of(i == 1'700 || i > 2'800 ? bad : good));
  const ss::Value all = ss::Value::dict({{"x", ss::Value::list(std::move(items))}});
  std::string path;
  try {
    static_cast<void>(ss::compare(all, all));
  } catch (const ss::Error& error) {
    path = error.details().path;
  }
  CHECK(path == "/x/1700");
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
