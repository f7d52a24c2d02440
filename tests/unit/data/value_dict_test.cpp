/// \file
/// A dict of any size finds its keys, keeps their order, and takes for keys what Python can hash.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/value.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of;

namespace {

const std::array<float, 3> numbers = {1, 2, 3};

Value dict_of(int count) {
  Value dict = Value::dict();
  for (int i = 0; i < count; ++i) dict.insert("k" + std::to_string(i), i);
  return dict;
}

}  // namespace

TEST_CASE("a key that something was moved out of is found by what is left") {
  Value dict = Value::dict({{Value::structure("S", {{"x", Value::tuple({1})}}), 1}});
  Value rest = dict.entries()[0].key;
  CHECK(std::move(rest)["x"] == Value::tuple({1}));
  dict.insert(rest, 2);
  CHECK(dict.find_key(Value::structure("S", {{"x", Value()}})) != nullptr);
}

TEST_CASE("a dict of any size finds each key, however it was filled") {
  for (const int count : {0, 1, 7, 8, 9, 10, 15, 16, 17, 100, 5000}) {
    CAPTURE(count);
    std::vector<ss::Entry> entries;
    for (int i = 0; i < count; ++i) entries.push_back({"k" + std::to_string(i), i});
    Value reserved_little = dict_of(count);
    reserved_little.reserve(9);
    const std::vector<Value> dicts = {dict_of(count), Value::dict(entries), reserved_little};
    for (const Value& dict : dicts) {
      CHECK(dict.size() == static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        const Value* found = dict.find("k" + std::to_string(i));
        REQUIRE(found != nullptr);
        CHECK(*found == Value(i));
      }
      CHECK(dict.find("k") == nullptr);
      CHECK(dict.find_key(1) == nullptr);
    }
    if (count == 0) continue;
    Value again = dicts[1];
    CHECK(error_of([&] { return again.insert("k0", 1); }) ==
          "duplicate_name: a dict contains a key twice: found k0.");
    CHECK(again.insert_or_assign("k0", "new") == Value("new"));
    CHECK(again.size() == static_cast<std::size_t>(count));
  }
}

TEST_CASE("a dict keeps its order and its index while entries go") {
  Value dict = dict_of(50);
  for (int i = 0; i < 50; i += 2) CHECK(dict.erase("k" + std::to_string(i)) == Value(i));
  CHECK_FALSE(dict.erase("k0"));
  CHECK(dict.size() == 25);
  for (int i = 1; i < 50; i += 2) CHECK(dict["k" + std::to_string(i)] == Value(i));
  for (int i = 1; i < 50; i += 2) CHECK(dict.erase("k" + std::to_string(i)));
  CHECK(dict.size() == 0);
  dict.insert("k1", 1);
  CHECK(dict["k1"] == Value(1));
}

TEST_CASE("a dict whose entries were taken is empty and can be used") {
  for (const int count : {3, 50}) {
    Value dict = dict_of(count);
    const std::vector<ss::Entry> entries = std::move(dict).entries();
    CHECK(entries.size() == static_cast<std::size_t>(count));
    CHECK(dict.find("k1") == nullptr);
    dict.insert("k1", "again");
    CHECK(dict["k1"] == Value("again"));
    CHECK(dict.size() == 1);
  }
}

TEST_CASE("keys of every hashable kind are told apart") {
  const std::vector<Value> keys = {Value(),
                                   true,
                                   false,
                                   0,
                                   1,
                                   1.0,
                                   0.0,
                                   -0.0,
                                   "1",
                                   "True",
                                   Value::integer("100000000000000000000"),
                                   std::complex<double>(1, 0),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   Value::tuple(),
                                   Value::tuple({1, "x"}),
                                   Value::tuple({1, Value::tuple({"x"})}),
                                   Value::bytes(std::as_bytes(std::span(numbers))),
                                   Value::custom("range", Value::list({1}).plain()),
                                   Value::custom("slice", Value::list({1}).plain()),
                                   Value::structure("A", {{"x", 1}}),
                                   Value::structure("B", {{"x", 1}})};
  Value dict = Value::dict();
  for (std::size_t i = 0; i < keys.size(); ++i) dict.insert(keys[i], i);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Value* found = dict.find_key(keys[i]);
    REQUIRE(found != nullptr);
    CHECK(*found == Value(i));
    CHECK(error_of([&] { return dict.insert(keys[i], 0); }).starts_with("duplicate_name"));
  }
}

TEST_CASE("values that Python cannot hash cannot be keys") {
  Value deep = 1;
  for (int i = 0; i < 18; ++i) deep = Value::tuple({deep});
  for (const Value& key : {Value::list({1}), Value::dict(), Value::set({1}), Value(ss::Tensor()),
                           Value::tuple({1, Value::list()}), deep}) {
    Value dict = Value::dict();
    CHECK(error_of([&] { return dict.insert(key, 1); }) ==
          "invalid_argument: a value of this type cannot be a dict key: expected a type that "
          "Python can hash, not a list, dict, set or tensor, found " +
              ss::describe(key) + ".");
    CHECK(dict.find_key(key) == nullptr);
  }
  Value frozen = Value::set({1});
  frozen.set_type_name("frozenset");
  Value dict = Value::dict();
  dict.insert(frozen, 1);
  CHECK(dict.find_key(frozen) != nullptr);
  Value structure = Value::structure();
  CHECK(error_of([&] { return structure.insert(1, 1); }) ==
        "invalid_argument: a field's name has the wrong type: expected a str, found int 1.");
}

TEST_CASE("a large dict finds a key that is equal and not the same bits, and no other") {
  const auto nan = [](std::uint64_t bits) { return Value(std::bit_cast<double>(bits)); };
  const auto frozen = [](std::vector<Value> items) {
    Value set = Value::set(std::move(items));
    set.set_type_name("frozenset");
    return set;
  };
  const std::uint64_t quiet = 0x7ff8000000000000;
  const std::uint64_t other = 0xfff0000000000123;  // Signalling, negative, with a payload.
  const std::vector<std::pair<Value, Value>> equal = {
      {nan(quiet), nan(other)},
      {std::complex<double>(1, std::bit_cast<double>(quiet)),
       std::complex<double>(1, std::bit_cast<double>(other))},
      {Value::tuple({nan(quiet)}), Value::tuple({nan(other)})},
      {frozen({1, 2, 3}), frozen({3, 1, 2})},
      {frozen({1, frozen({2, nan(quiet)})}), frozen({frozen({nan(other), 2}), 1})},
      {Value::custom("T", frozen({1, 2})), Value::custom("T", frozen({2, 1}))}};
  for (const int others : {0, 7, 20, 1000}) {
    CAPTURE(others);
    Value dict = dict_of(others);
    for (const auto& [key, same] : equal) dict.insert(key, "found");
    for (const auto& [key, same] : equal) {
      const Value* found = dict.find_key(same);
      REQUIRE(found != nullptr);
      CHECK(*found == Value("found"));
      Value again = same;
      CHECK(error_of([&] { return dict.insert(again, 1); }).starts_with("duplicate_name"));
    }
    CHECK(dict.find_key(frozen({1, 2})) == nullptr);
    CHECK(dict.find_key(frozen({1, 2, 3, 3})) == nullptr);
    CHECK(dict.find_key(Value::tuple({1, 2, 3})) == nullptr);
    CHECK(dict.find_key(std::complex<double>(std::bit_cast<double>(quiet), 1)) == nullptr);
  }
}
