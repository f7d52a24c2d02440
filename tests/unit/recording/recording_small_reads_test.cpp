/// \file
/// Small pieces of a file are read together with what is around them, once.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>

#include "recording/segments/small_reads.hpp"
#include "support/errors.hpp"
#include "support/memory_source.hpp"

namespace {

namespace ss = safestructures;

constexpr std::size_t window = std::size_t{256} << 10U;

std::byte byte_at(std::uint64_t place) {
  return static_cast<std::byte>((place * 2654435761U) >> 16U & 0xFFU);
}

struct Case {
  std::shared_ptr<const ss::test::MemorySource> bytes;
  std::shared_ptr<const ss::Source> source;

  explicit Case(std::size_t size) {
    std::vector<std::byte> all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = byte_at(i);
    bytes = std::make_shared<const ss::test::MemorySource>("server", std::move(all));
    source = ss::recording::for_small_reads(bytes);
  }

  /// Whether a piece has the bytes that belong there.
  bool reads_right(std::uint64_t offset, std::size_t size) const {
    std::vector<std::byte> into(size);
    source->read(offset, into);
    for (std::size_t i = 0; i < size; ++i)
      if (into[i] != byte_at(offset + i)) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("pieces of one window are read together from the fourth on, whatever their order") {
  const Case one(3 * window + 1000);
  for (const std::uint64_t offset : {0U, 200'000U, 256U}) CHECK(one.reads_right(offset, 100));
  CHECK(one.bytes->bytes_read() == 3 * 100);
  for (const std::uint64_t offset : {0U, 256U, 100U, 200'000U, 262'000U})
    CHECK(one.reads_right(offset, 100));
  CHECK(one.reads_right(5, 4096));
  CHECK(one.bytes->bytes_read() == 3 * 100 + window);
  // The last one is short.
  for (int i = 0; i < 5; ++i) CHECK(one.reads_right(3 * window + 900, 100));
  CHECK(one.bytes->bytes_read() == 6 * 100 + window + 1000);
  CHECK(one.source->size() == 3 * window + 1000);
  CHECK(one.source->name() == "server");
}

TEST_CASE("large pieces, and those over the edge of a window, are read as they are") {
  const Case one(3 * window);
  CHECK(one.reads_right(100, 4097));
  CHECK(one.reads_right(window - 50, 100));
  CHECK(one.bytes->bytes_read() == 4097 + 100);
}

TEST_CASE("windows whose places meet are read anew") {
  const Case one(17 * window);
  for (int round = 0; round < 2; ++round)
    for (const std::uint64_t offset : {std::uint64_t{10}, 16 * window + 10})
      for (int i = 0; i < 5; ++i) CHECK(one.reads_right(offset, 10));
  CHECK(one.bytes->bytes_read() == 4 * (window + 3 * 10));
}

TEST_CASE("the rest of a truncated file is read, and the missing part is its error") {
  const Case one(window);
  one.bytes->fail_from(1000);
  for (int i = 0; i < 5; ++i) CHECK(one.reads_right(900, 100));
  std::vector<std::byte> into(100);
  const auto error_of_read = [&](std::uint64_t offset) {
    return ss::test::error_of_void([&] { one.source->read(offset, into); });
  };
  CHECK(error_of_read(950) == "cannot_read: the server is gone.");
  one.bytes->fail_from(ss::test::MemorySource::never);
  CHECK(error_of_read(window - 50) == "truncated: the server has no more.");
  // What failed is not taken for what is there.
  CHECK(one.reads_right(950, 50));
}
