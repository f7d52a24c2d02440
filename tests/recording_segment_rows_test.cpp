/// \file
/// Rows of a segment's tensors: what is read when, and which memory it takes.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

#include "recording/segment_rows.hpp"
#include "support/memory_source.hpp"

namespace {

namespace ss = safestructures;
using ss::recording::RowMemory;
using ss::recording::SegmentRows;

constexpr std::size_t mib = std::size_t{1} << 20U;

/// A tensor of bytes that are still in their source, each the number of its row.
struct Case {
  std::shared_ptr<const ss::test::MemorySource> bytes;
  ss::Value rows;

  Case(std::uint64_t count, std::uint64_t width) {
    std::vector<std::byte> all(static_cast<std::size_t>(count * width));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i / width);
    bytes = std::make_shared<const ss::test::MemorySource>("server", std::move(all));
    rows = ss::Value(ss::Tensor::deferred(ss::DType::U8, {count, width}, bytes, 0, "0:rows"));
  }
};

std::uint8_t first_of(const ss::Value& row) { return row.tensor().data<std::uint8_t>()[0]; }

}  // namespace

TEST_CASE("small rows are read at once, and once") {
  Case one(100, 256);
  one.rows.set_attribute(ss::attributes::dtype, ss::Value("F32"));
  one.rows.set_attribute("other", ss::Value("kept by none"));
  RowMemory memory;
  SegmentRows rows(100, memory);
  for (const std::int32_t row : {7, 99, 0}) {
    const ss::Value value = rows.at(one.rows, row);
    CHECK(value.tensor().shape() == ss::Shape{256});
    CHECK(first_of(value) == row);
    CHECK(value.attribute(ss::attributes::dtype)->as_string() == "F32");
    CHECK(value.attribute("other") == nullptr);
  }
  CHECK(one.bytes->bytes_read() == 25'600);
}

TEST_CASE("large rows, and more of them than a segment has records for, are read when touched") {
  struct Given {
    std::uint64_t count;
    std::uint64_t width;
    std::size_t records;
  };
  for (const Given& given : {Given{3, 1025, 3}, Given{1000, 1024, 999}}) {
    CAPTURE(given.width);
    const Case one(given.count, given.width);
    RowMemory memory;
    SegmentRows rows(given.records, memory);
    const ss::Value value = rows.at(one.rows, 2);
    CHECK(one.bytes->bytes_read() == 0);
    CHECK(first_of(value) == 2);
  }
  // At the bound.
  const Case one(1000, 1024);
  RowMemory memory;
  SegmentRows rows(1000, memory);
  CHECK(first_of(rows.at(one.rows, 999)) == 999 % 256);
  CHECK(one.bytes->bytes_read() == 1000 * 1024);
}

TEST_CASE("rows of several tensors of a segment come from their own") {
  const Case one(4, 8);
  const Case other(300, 8);
  RowMemory memory;
  SegmentRows rows(304, memory);
  for (const std::int32_t row : {0, 3, 1}) {
    CHECK(first_of(rows.at(one.rows, row)) == row);
    CHECK(first_of(rows.at(other.rows, row + 200)) == row + 200);
  }
  CHECK(one.bytes->bytes_read() == 32);
  CHECK(other.bytes->bytes_read() == 2400);
}

TEST_CASE("the first megabyte that is read has memory of its own, the rest parts of huge pages") {
  RowMemory memory;
  std::vector<std::shared_ptr<std::byte>> all;
  for (int i = 0; i < 4; ++i) all.push_back(memory.take(mib / 4));
  CHECK(all.back().use_count() == 1);
  for (int i = 0; i < 5; ++i) all.push_back(memory.take(mib / 2 - 100));
  for (std::size_t i = 4; i < 7; ++i) {
    CHECK(all[i].use_count() == 4);
    CHECK(all[i + 1].get() - all[i].get() == mib / 2 - 64);
  }
  CHECK(all[8].use_count() == 2);  // One of them is the memory's own.
  CHECK(memory.take(mib + 1).use_count() == 1);
  // What is taken stays when the memory is gone.
  for (const std::shared_ptr<std::byte>& one : all) *one = std::byte{1};
}
