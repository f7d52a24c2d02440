/// \file
/// Keys of a dict that are one text, such as 1 and "1", are told apart by their kind.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "support/verdicts.hpp"

namespace {

namespace ss = safestructures;
using ss::Value;
using ss::tests::verdicts_of;

ss::Tensor tensor(std::vector<float> numbers) { return ss::Tensor::own(std::move(numbers)); }

}  // namespace

TEST_CASE("keys of one text in one dict are paired by their kind, whatever their order") {
  const Value tuple = Value::tuple({1, 2});
  const auto value = [&](int first, int second) {
    return Value::dict({{1, first}, {"1", second}, {tuple, 5}});
  };
  const auto turned = [&](int first, int second) {
    return Value::dict({{tuple, 5}, {"1", first}, {1, second}});
  };
  CHECK(ss::compare(value(1, 2), value(1, 2)).is_equal());
  CHECK(ss::compare(value(1, 2), turned(2, 1)).is_equal());
  CHECK(verdicts_of(ss::compare(value(1, 2), value(2, 1))) ==
        std::vector<std::string>{"/1~int value", "/1 value"});
  CHECK(
      ss::compare(Value::dict({{1, 2}, {"1", 3}}), Value::dict({{"1", 2}, {1, 3}})).differences() ==
      2);
  // Everything below them, too.
  const auto below = [](const Value& first, const Value& second) {
    return Value::dict({{first, Value::list({tensor({1})})}, {second, Value::list({tensor({2})})}});
  };
  struct Case {
    Value key;
    std::string text;
    std::string kind;
  };
  for (const Case& one : {Case{true, "True", "bool"},
                          {Value(), "None", "None"},
                          {0.5, "0.5", "float"},
                          {tuple, "(1, 2)", "tuple"}}) {
    CAPTURE(one.text);
    CHECK(ss::compare(below(one.key, one.text), below(one.key, one.text)).is_equal());
    const ss::Comparison other = ss::compare(below(one.key, one.text), below(one.text, one.key));
    const std::string path = "/" + one.text;
    CHECK(verdicts_of(other) ==
          std::vector<std::string>{path + "~" + one.kind + "/0 different", path + "/0 different"});
  }
  CHECK(ss::compare(below(true, "True"), Value::dict({{"True", Value::list({tensor({2})})},
                                                      {true, Value::list({tensor({1})})}}))
            .is_equal());
}

TEST_CASE("keys of one text in one dict are paired by their kind in whatever file they were") {
  const Value value =
      Value::dict({{Value::tuple({1, 2}), tensor({1})}, {"(1, 2)", tensor({2})}, {1, 5}, {"1", 6}});
  for (const auto& format : {ss::formats::safestructures(), ss::formats::cbor()}) {
    const Value loaded = ss::load(ss::save(value, {.format = format}), {.format = format});
    CHECK(ss::compare(value, loaded).is_equal());
    CHECK(ss::compare(loaded, value).is_equal());
  }
}

TEST_CASE("keys of one text in two dicts are one name, and no other key is one of their kind") {
  CHECK(ss::compare(Value::dict({{1, 2}, {2, 3}}), Value::dict({{"2", 3}, {"1", 2}})).is_equal());
  const Value both = Value::dict({{"1", 3}, {1, 2}});
  for (const char* const name : {"1~int", "1#2"})
    CHECK(verdicts_of(ss::compare(both, Value::dict({{"1", 3}, {name, 2}}))).size() == 2);
  CHECK(verdicts_of(ss::compare(both, Value::dict({{"1", 3}}))) ==
        std::vector<std::string>{"/ size", "/1~int only in a"});
}
