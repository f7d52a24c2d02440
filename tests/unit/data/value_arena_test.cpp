// What many values hold lies in blocks of an arena. Nothing of it shows but in time and memory.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>

#include "data/box.hpp"
#include "data/box_arena.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::detail::Box;
using ss::detail::BoxArena;

namespace {

/// Lists with a value of each kind that holds something.
Value many(int count) {
  Value list = Value::list();
  for (int i = 0; i < count; ++i) {
    Value dict = Value::dict();
    dict.insert("text", "a text that no string holds in itself " + std::to_string(i));
    dict.insert("tensor", Value(ss::Tensor()));
    dict.insert("digits", Value::integer("12345678901234567890123"));
    dict.insert("complex", std::complex<double>(1, i));
    dict.insert("custom", Value::custom("T", Value::list({i})));
    list.push_back(std::move(dict));
  }
  return list;
}

bool is_in_block(const Value& value) { return Box::of(value)->offset != 0; }

}  // namespace

TEST_CASE("a few values allocate their contents one by one, many share blocks") {
  const BoxArena arena;
  const Value list = many(2000);
  CHECK_FALSE(is_in_block(list));
  CHECK_FALSE(is_in_block(list[0]));
  std::size_t changes = 0;
  for (std::size_t i = 1; i < list.size(); ++i)
    changes += is_in_block(list[i]) != is_in_block(list[i - 1]) ? 1U : 0U;
  CHECK(changes == 1);
  CHECK(is_in_block(list[1999]));
  // 32 KiB of their own, then a block of eight times as much.
  CHECK_FALSE(is_in_block(list[20]));
  CHECK(is_in_block(list[200]));
}

TEST_CASE("without an arena, and behind one, values have what they hold to themselves") {
  const Value before = many(1000);
  CHECK_FALSE(is_in_block(before[999]));
  {
    const BoxArena arena;
  }
  CHECK_FALSE(is_in_block(many(1000)[999]));
}

TEST_CASE("values outlive their arena, each of them alone, and end on any thread") {
  const Value expected = many(3000);
  Value list;
  {
    const BoxArena arena;
    list = many(3000);
  }
  CHECK(list == expected);
  const Value copy = list;
  Value kept = std::move(list[2500]);
  std::thread([&] { list = nullptr; }).join();
  CHECK(kept == expected[2500]);
  CHECK(copy == expected);
}

TEST_CASE("what is freed while the arena still gives out does not free its block") {
  const BoxArena arena;
  const Value expected = many(1);
  static_cast<void>(many(1000));
  for (int i = 0; i < 100'000; ++i) {
    const Value one = Value::list({i});
    REQUIRE(is_in_block(one));
    REQUIRE(one[0].as_int64() == i);
  }
  CHECK(many(1) == expected);
}

TEST_CASE("an arena in another one has blocks of its own, and gives the word back") {
  const BoxArena outer;
  const Value first = many(1000);
  Value inside;
  {
    const BoxArena inner;
    inside = Value::list({1});
    CHECK_FALSE(is_in_block(inside));
  }
  CHECK(is_in_block(Value::list({1})));
  CHECK(first == many(1000));
}

TEST_CASE("what is loaded lies in blocks, and what is left of it when the rest is gone is whole") {
  const std::vector<std::byte> file = ss::save(many(3000));
  Value kept = [&] {
    Value loaded = ss::load(file);
    CHECK(is_in_block(loaded[2999]));
    return std::move(loaded[2999]);
  }();
  CHECK(kept == many(3000)[2999]);
}
