// The contract of deferred tensors: nothing is read before it is needed, and no more than is
// needed.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>
#include "support/errors.hpp"
#include "support/memory_source.hpp"

namespace ss = safestructures;
using ss::DType;
using ss::Overflow;
using ss::Shape;
using ss::Tensor;
using ss::test::error_of;
using ss::test::MemorySource;

namespace {

constexpr std::uint64_t lead = 10;  // Bytes of the source in front of the tensor.

std::shared_ptr<const MemorySource> source_of(std::span<const std::byte> tensor) {
  std::vector<std::byte> bytes(lead);
  bytes.insert(bytes.end(), tensor.begin(), tensor.end());
  return std::make_shared<const MemorySource>("far/away", std::move(bytes));
}

Tensor counting(const Shape& shape) {
  std::vector<std::int32_t> values(ss::element_count(shape));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::own(std::move(values), shape);
}

/// A tensor and the same deferred.
struct Pair {
  explicit Pair(Tensor tensor) : here(std::move(tensor)), source(source_of(here.bytes())) {
    there = Tensor::deferred(here.dtype(), here.shape(), source, lead, "w");
  }

  Tensor here;
  std::shared_ptr<const MemorySource> source;
  Tensor there;
};

}  // namespace

TEST_CASE("a deferred tensor tells dtype and shape and reads nothing for that") {
  const Pair pair(counting({3, 4}));
  const Tensor copy = pair.there;
  CHECK(copy.dtype() == DType::I32);
  CHECK(copy.shape() == Shape{3, 4});
  CHECK(copy.byte_size() == 48);
  CHECK(copy.is_contiguous());
  CHECK(copy.is_owned());
  CHECK_FALSE(copy.is_loaded());
  CHECK(copy.identity() == pair.there.identity());
  CHECK(copy.reshape({12}).identity() == copy.identity());
  CHECK(pair.source->bytes_read() == 0);
}

TEST_CASE("the bytes of a deferred tensor are read once, for all its copies") {
  const Pair pair(counting({3, 4}));
  const Tensor copy = pair.there;
  CHECK(copy.data<std::int32_t>()[11] == 11);
  CHECK(pair.there.is_loaded());
  CHECK(pair.there.origin() == copy.origin());
  CHECK(pair.there == pair.here);
  CHECK(pair.there.permute(std::array<std::size_t, 2>{1, 0}).contiguous() ==
        pair.here.permute(std::array<std::size_t, 2>{1, 0}).contiguous());
  CHECK(pair.source->bytes_read() == 48);
}

TEST_CASE("what a deferred tensor is converted to or copied into is read and not kept") {
  const Pair pair(counting({1000, 1000}));
  CHECK(pair.there.to(DType::F64) == pair.here.to(DType::F64));
  CHECK(pair.there.clone() == pair.here);
  std::vector<std::int32_t> few(2);
  static_cast<void>(pair.there.copy_elements(
      7, 2, DType::I32, std::as_writable_bytes(std::span(few)), Overflow::error));
  CHECK(few == std::vector<std::int32_t>{7, 8});
  CHECK_FALSE(pair.there.is_loaded());
  CHECK(pair.there == pair.here);  // In blocks.
  CHECK_FALSE(pair.there.is_loaded());
}

TEST_CASE("packed elements of a deferred tensor are converted as those in memory") {
  std::vector<float> values(1003 * 8);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 5);
  const Pair pair(Tensor::of<float>(values).to(DType::F6_E2M3, Overflow::saturate));
  CHECK(pair.there.to(DType::F32) == pair.here.to(DType::F32));
  CHECK(pair.there.to(DType::F4, Overflow::saturate) ==
        pair.here.to(DType::F4, Overflow::saturate));
}

TEST_CASE("a conversion of a deferred tensor reports the place in the whole tensor") {
  std::vector<double> values(300'000, 1);
  values[290'001] = 1e300;
  const Pair pair(Tensor::of<double>(values));
  CHECK(error_of([&] { return pair.there.to(DType::F32); }) ==
        error_of([&] { return pair.here.to(DType::F32); }));
  std::vector<std::byte> target(values.size() * 4);
  CHECK(pair.there.copy_to(DType::F32, target, Overflow::saturate).first_overflow == 290'001);
}

TEST_CASE("a slice of a deferred tensor reads little more than it holds") {
  const Pair pair(counting({1000, 1000}));
  for (const std::string text :
       {"3", "3:5", "-1,::-1", "::500", "999,999", ":,7", "4:4", "::-300,2:9"}) {
    CAPTURE(text);
    const std::vector<ss::Slice> slices = ss::parse_slices(text);
    CHECK(pair.there.slice(slices) == pair.here.slice(slices).contiguous());
  }
  CHECK_FALSE(pair.there.is_loaded());
  const Pair row(counting({1000, 1000}));
  static_cast<void>(row.there.slice(ss::parse_slices("3")));
  CHECK(row.source->bytes_read() == 4000);
}

TEST_CASE("an error in reading a deferred tensor names the source and the tensor") {
  const Pair pair(counting({3, 4}));
  pair.source->fail_from(0);
  const std::string gone = "cannot_read: far/away: at w: the server is gone.";
  CHECK(error_of([&] { return pair.there.origin(); }) == gone);
  CHECK(error_of([&] { return pair.there.to(DType::F32); }) == gone);
  CHECK(error_of([&] { return pair.there.slice(ss::parse_slices("1")); }) == gone);
  pair.source->fail_from(MemorySource::never);
  CHECK(pair.there == pair.here);  // A later try may do better.
  CHECK(error_of([&] { return Tensor::deferred(DType::I32, {13}, pair.source, lead, "w"); }) ==
        "truncated: far/away: at w: the input ends inside a tensor: expected 52 bytes, found 48 "
        "(byte 10).");
}

TEST_CASE("an empty deferred tensor needs no source") {
  const Tensor empty = Tensor::deferred(DType::F32, {0, 3}, source_of({}), lead, "w");
  CHECK(empty.is_loaded());
  CHECK(empty.origin() == nullptr);
  CHECK(empty == Tensor::allocate(DType::F32, {0, 3}));
}

TEST_CASE("many threads that use one deferred tensor read it once") {
  const Pair pair(counting({100, 100}));
  std::atomic<int> equal = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Tensor copy = pair.there;
      equal += copy.data<std::int32_t>()[9999] == 9999 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(equal == 8);
  CHECK(pair.source->bytes_read() == 40'000);
}
