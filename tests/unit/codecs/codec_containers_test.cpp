/// \file
/// Lists, sets, maps, pairs and tuples.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using ss::Kind;
using ss::Tensor;
using ss::Value;

TEST_CASE("sequences that are no numbers in a row are lists") {
  const std::vector<std::string> words{"b", "a", "b"};
  const Value expected = Value::list({"b", "a", "b"});
  CHECK(Value::from(words) == expected);
  CHECK(Value::from(std::deque<std::string>(words.begin(), words.end())) == expected);
  CHECK(Value::from(std::list<std::string>(words.begin(), words.end())) == expected);
  CHECK(Value::from(std::forward_list<std::string>(words.begin(), words.end())) == expected);
  CHECK(Value::from(std::array<std::string, 3>{"b", "a", "b"}) == expected);
  CHECK(Value::from(std::deque<int>{1, 2}) == Value::list({1, 2}));
}

TEST_CASE("sequences come back") {
  CHECK(round_trip(std::vector<std::string>{"a", ""}) == std::vector<std::string>{"a", ""});
  CHECK(round_trip(std::deque<int>{3, 1}) == std::deque<int>{3, 1});
  CHECK(round_trip(std::list<double>{0.5}) == std::list<double>{0.5});
  CHECK(round_trip(std::forward_list<int>{1, 2, 3}) == std::forward_list<int>{1, 2, 3});
  CHECK(round_trip(std::array<std::string, 2>{"x", "y"}) == std::array<std::string, 2>{"x", "y"});
  CHECK(round_trip(std::array<std::string, 0>()).empty());
  CHECK(round_trip(std::vector<std::vector<std::string>>{{}, {"a"}}) ==
        std::vector<std::vector<std::string>>{{}, {"a"}});
}

TEST_CASE("a sequence loads from list, tuple, set and tensor") {
  const std::deque<int> expected{1, 2};
  CHECK(Value::list({1, 2}).as<std::deque<int>>() == expected);
  CHECK(Value::tuple({1, 2}).as<std::deque<int>>() == expected);
  CHECK(Value::set({1, 2}).as<std::deque<int>>() == expected);
  CHECK(Value(Tensor::own(std::vector<std::int8_t>{1, 2})).as<std::deque<int>>() == expected);
  CHECK(load_error<std::list<int>>(Value("12")) ==
        "type_mismatch: at /: a value has the wrong type: expected list, tuple or set, found str "
        "\"12\".");
  CHECK(load_error<std::list<std::string>>(Value::list({"a", 2})) ==
        "type_mismatch: at /1: a value has the wrong type: expected str, found int 2.");
}

TEST_CASE("sets are sets, multisets are lists") {
  CHECK(Value::from(std::set<int>{2, 1}) == Value::set({1, 2}));
  CHECK(Value::from(std::multiset<int>{2, 1, 2}) == Value::list({1, 2, 2}));
  CHECK(round_trip(std::set<std::string>{"a", "b"}) == std::set<std::string>{"a", "b"});
  CHECK(round_trip(std::multiset<int>{2, 1, 2}) == std::multiset<int>{1, 2, 2});
  CHECK(round_trip(std::unordered_set<int>{5, 6}) == std::unordered_set<int>{5, 6});
  CHECK(round_trip(std::unordered_multiset<int>{5, 5}) == std::unordered_multiset<int>{5, 5});
  const std::vector<int> equal(1000, 5);
  CHECK(Value::from(std::unordered_multiset<int>(equal.begin(), equal.end())) ==
        Value::list(std::vector<Value>(1000, Value(5))));
  CHECK(round_trip(std::set<std::vector<int>>{{1, 2}, {}}) ==
        std::set<std::vector<int>>{{1, 2}, {}});
  CHECK(Value::from(std::set<std::vector<int>>{{1, 2}}) == Value::set({Value::tuple({1, 2})}));
  CHECK(load_error<std::set<int>>(Value::list({1, 1})) ==
        "duplicate_name: at /: two items become equal in the loaded type: found int 1. Load "
        "them into a multimap, a multiset or a list.");
}

TEST_CASE("maps are dicts, multimaps are lists of pairs") {
  const std::map<std::string, int> map{{"b", 2}, {"a", 1}};
  CHECK(Value::from(map) == Value::dict({{"a", 1}, {"b", 2}}));
  CHECK(round_trip(map) == map);
  const std::multimap<int, std::string> multimap{{1, "x"}, {1, "y"}};
  CHECK(Value::from(multimap) == Value::list({Value::tuple({1, "x"}), Value::tuple({1, "y"})}));
  CHECK(round_trip(multimap) == multimap);
  const std::unordered_map<int, std::vector<float>> tensors{{7, {1, 2}}, {-7, {}}};
  CHECK(round_trip(tensors) == tensors);
  const std::unordered_multimap<int, int> unordered{{1, 2}, {1, 2}, {0, 5}};
  CHECK(round_trip(unordered) == unordered);
}

TEST_CASE("keys are of any kind that Python hashes") {
  const std::map<std::pair<int, std::string>, bool> pairs{{{1, "a"}, true}, {{2, "b"}, false}};
  CHECK(round_trip(pairs) == pairs);
  const std::map<std::array<std::int16_t, 2>, int> arrays{{{1, 2}, 3}};
  CHECK(Value::from(arrays) == Value::dict({{Value::tuple({1, 2}), 3}}));
  CHECK(round_trip(arrays) == arrays);
  const std::map<double, int> doubles{{0.5, 1}, {1e300, 2}};
  CHECK(round_trip(doubles) == doubles);
}

TEST_CASE("a map whose keys Python cannot hash is a list of pairs") {
  const std::map<std::map<int, int>, std::string> map{{{{1, 2}}, "a"}};
  CHECK(Value::from(map).kind() == Kind::list);
  CHECK(round_trip(map) == map);
  const std::set<std::map<int, int>> set{{{1, 2}}, {}};
  CHECK(Value::from(set).kind() == Kind::list);
  CHECK(round_trip(set) == set);
}

TEST_CASE("unordered containers are saved in an order that only their content decides") {
  std::unordered_map<std::string, int> map;
  std::unordered_map<std::string, int> other(4096);
  std::unordered_set<int> set;
  std::unordered_set<int> reversed(4096);
  for (int i = 0; i < 500; ++i) {
    map.emplace("key " + std::to_string(i), i);
    other.emplace("key " + std::to_string(499 - i), 499 - i);
    set.insert(i * 7919 - 1000);
    reversed.insert((499 - i) * 7919 - 1000);
  }
  CHECK(Value::from(map) == Value::from(other));  // Dicts compare in order.
  const Value items = Value::from(set);
  const Value reversed_items = Value::from(reversed);
  CHECK(items.items() == reversed_items.items());
  CHECK(items[0] == Value(-1000));
  const std::unordered_multimap<double, std::string> mixed{{-1.5, "b"}, {2, "a"}, {-1.5, "a"}};
  CHECK(Value::from(mixed) == Value::list({Value::tuple({-1.5, "a"}), Value::tuple({-1.5, "b"}),
                                           Value::tuple({2.0, "a"})}));
}

TEST_CASE("keys that are texts in JSON and checkpoints are the numbers that they spell") {
  CHECK(Value::dict({{"5", 1}, {"-6", 2}}).as<std::map<int, int>>() ==
        std::map<int, int>{{5, 1}, {-6, 2}});
  CHECK(Value::dict({{"1.5", 1}, {"-2", 2}, {"1e3", 3}}).as<std::map<double, int>>() ==
        std::map<double, int>{{1.5, 1}, {-2, 2}, {1000, 3}});
  CHECK(Value::dict({{"true", 1}, {"false", 2}}).as<std::map<bool, int>>() ==
        std::map<bool, int>{{true, 1}, {false, 2}});
  CHECK(load_error<std::map<int, int>>(Value::dict({{"05", 1}})) ==
        "type_mismatch: at /05: a value has the wrong type: expected int, found str \"05\".");
  CHECK(load_error<std::map<double, int>>(Value::dict({{"x", 1}})) ==
        "type_mismatch: at /x: a value has the wrong type: expected float, found str \"x\".");
  CHECK(load_error<std::map<bool, int>>(Value::dict({{"1", 1}})) ==
        "type_mismatch: at /1: a value has the wrong type: expected bool, found str \"1\".");
  CHECK(load_error<std::map<double, int>>(Value::dict({{"1", 1}, {"1.0", 2}})) ==
        "duplicate_name: at /: two items become equal in the loaded type: found float 1.0. Load "
        "them into a multimap, a multiset or a list.");
}

TEST_CASE("items that differ in the tag of a variant alone have an order too") {
  using Variant = std::variant<std::tuple<int>, std::tuple<long>>;
  struct NoHash {
    std::size_t operator()(const Variant&) const { return 0; }
  };
  const std::array<Variant, 2> items{Variant(std::tuple(1)), Variant(std::tuple(1L))};
  const std::unordered_set<Variant, NoHash> set{items[0], items[1]};
  const std::unordered_set<Variant, NoHash> reversed{items[1], items[0]};
  CHECK(*set.begin() != *reversed.begin());
  CHECK(ss::save(set) == ss::save(reversed));
  CHECK(round_trip(set) == set);
}

TEST_CASE("values of every kind have one order, by kind and then by content") {
  struct NoHash {
    std::size_t operator()(const Value&) const { return 0; }
  };
  const auto integer = [](const std::string& digits) { return Value::integer(digits); };
  const auto list = [](std::vector<Value> items) { return Value::list(std::move(items)); };
  const auto floats = [](std::vector<float> numbers, const ss::Shape& shape) {
    return Value(Tensor::own<float>(std::move(numbers), shape));
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Value> ordered = {
      nullptr,
      false,
      true,
      integer("-100000000000000000000"),
      integer("-99999999999999999999"),
      integer("-99999999999999999998"),
      std::numeric_limits<std::int64_t>::min(),
      -1,
      0,
      7,
      std::numeric_limits<std::int64_t>::max(),
      integer("9223372036854775808"),
      integer("9223372036854775809"),
      integer("10000000000000000000"),
      -infinity,
      -1.5,
      2.5,
      infinity,
      std::complex<double>(1, -2),
      std::complex<double>(1, 2),
      std::complex<double>(2, 0),
      "",
      "a",
      "ab",
      "b",
      Value::bytes(std::as_bytes(std::span("ab", 2))),
      Value::bytes(std::as_bytes(std::span("ac", 2))),
      list({}),
      list({1}),
      list({1, 0}),
      list({2}),
      Value::tuple({1}),
      Value::tuple({2}),
      Value::set({1}),
      Value::set({2}),
      Value::dict({{"a", 1}}),
      Value::dict({{"a", 1}, {"b", 0}}),
      Value::dict({{"a", 2}}),
      Value::dict({{"b", 0}}),
      Value::structure("A", {{"z", 9}}),
      Value::structure("B", {{"a", 1}}),
      Value::structure("B", {{"a", 2}}),
      Value(Tensor::own<std::uint8_t>({9}, {1})),
      floats({}, {0}),
      floats({1}, {1}),
      floats({0, 0}, {1, 2}),
      floats({0, 0}, {2}),
      Value::custom("acme.A", 2),
      Value::custom("acme.B", 1),
      Value::custom("acme.B", 2),
  };
  for (std::size_t step : {1U, 7U, 49U}) {
    std::unordered_multiset<Value, NoHash> values;
    for (std::size_t i = 0; i < ordered.size(); ++i)
      values.insert(ordered[(i + 1) * step % ordered.size()]);
    const Value saved = Value::from(values);
    REQUIRE(saved.size() == ordered.size());
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      CAPTURE(i);
      CHECK(saved[i] == ordered[i]);
    }
  }
}

TEST_CASE("a map loads from a struct and from pairs; errors name the key") {
  const Value structure = Value::structure("Point", {{"x", 1}, {"y", 2}});
  CHECK(structure.as<std::map<std::string, int>>() ==
        std::map<std::string, int>{{"x", 1}, {"y", 2}});
  CHECK(Value::list({Value::tuple({1, 2})}).as<std::map<int, int>>() == std::map<int, int>{{1, 2}});
  CHECK(load_error<std::map<int, int>>(Value::dict({{5, "five"}})) ==
        "type_mismatch: at /5: a value has the wrong type: expected int, found str \"five\".");
  CHECK(load_error<std::map<int, int>>(Value::dict({{"a", 1}})) ==
        "type_mismatch: at /a: a value has the wrong type: expected int, found str \"a\".");
  CHECK(load_error<std::map<double, int>>(Value::dict({{1, 1}, {1.0, 2}})) ==
        "duplicate_name: at /: two items become equal in the loaded type: found float 1.0. "
        "Load them into a multimap, a multiset or a list.");
  CHECK(
      load_error<std::map<int, int>>(Value::list({1, 2})) ==
      "type_mismatch: at /: a value has the wrong type: expected dict, struct, or a list of (key, "
      "value) pairs, found list of 2.");
}

TEST_CASE("pairs and tuples are tuples") {
  const std::tuple<int, std::string, std::vector<float>> tuple{1, "a", {2}};
  CHECK(Value::from(tuple) == Value::tuple({1, "a", Value::from(std::vector<float>{2})}));
  CHECK(round_trip(tuple) == tuple);
  CHECK(round_trip(std::tuple<>()) == std::tuple<>());
  CHECK(round_trip(std::tuple(7)) == std::tuple(7));
  CHECK(round_trip(std::pair(1.5, 'x')) == std::pair(1.5, 'x'));
  CHECK(Value::list({1, 2}).as<std::pair<int, int>>() == std::pair(1, 2));
  CHECK(
      load_error<std::pair<int, int>>(Value::tuple({1})) ==
      "shape_mismatch: at /: a sequence has the wrong length: expected 2 items, found tuple of 1.");
  CHECK(
      load_error<std::tuple<int>>(Value::tuple({1, 2})) ==
      "shape_mismatch: at /: a sequence has the wrong length: expected 1 item, found tuple of 2.");
}

TEST_CASE("nesting stops at the limit in both directions") {
  const std::vector<std::vector<std::vector<std::string>>> deep{{{"x"}}};
  CHECK(codec_test::error_of([&] {
          return Value::from(deep, {.limits = {.depth = 2}});
        }).starts_with("limit_exceeded: at /0/0: a structure is nested too deeply"));
  CHECK(load_error<std::vector<std::vector<std::vector<std::string>>>>(Value::from(deep),
                                                                       {.limits = {.depth = 2}})
            .starts_with("limit_exceeded: at /0/0: a structure is nested too deeply"));
}
