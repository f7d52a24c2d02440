/// \file
/// No format saves a set that has an item twice: no reader takes it.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of;

namespace {

struct Case {
  Value value;
  std::string problem;
};

std::vector<ss::test::FormatPointer> formats() {
  std::vector<ss::test::FormatPointer> all = ss::test::tree_formats();
  all.push_back(ss::formats::safestructures());
  return all;
}

Value frozen(std::vector<Value> items) {
  Value set = Value::set(std::move(items));
  set.set_type_name("frozenset");
  return set;
}

const std::string advice =
    " Use a list, which may repeat items; all NaN count as one item of a set.";

}  // namespace

TEST_CASE("a set that has an item twice is refused at its place when it is saved") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {Value::dict({{"s", Value::set({1, 1})}}),
       "/s/1: a set contains an item twice: found int 1."},
      {Value::list({Value::set({"b", "a", "c", "a"})}),
       "/0/3: a set contains an item twice: found str \"a\"."},
      {Value::set({nan, 1, -nan}), "/2: a set contains an item twice: found float nan."},
      {Value::set({Value::tuple({1, nan}), Value::tuple({1, nan})}),
       "/1: a set contains an item twice: found tuple of 2."},
      {Value::set({Value::list({1}), Value::list({1})}),
       "/1: a set contains an item twice: found list of 1."},
      {Value::set({frozen({2, 1}), frozen({1, 2})}),
       "/1: a set contains an item twice: found frozenset of 2."},
      {Value::set({frozen({2, 1}), frozen({3, Value::tuple({frozen({5, 5})})})}),
       "/1/1/0/1: a set contains an item twice: found int 5."},
      {Value::dict({{Value::tuple({frozen({7, 7})}), 1}}),
       "/(frozenset,)/0/1: a set contains an item twice: found int 7."},
  };
  for (const ss::test::FormatPointer& format : formats()) {
    CAPTURE(format->name());
    for (const Case& one : cases)
      CHECK(error_of([&] { return ss::save(one.value, {.format = format}); }) ==
            "duplicate_name: at " + one.problem + advice);
  }
}

TEST_CASE("a set whose items differ comes back from each format") {
  const std::vector<Value> sets = {
      Value::set({}),
      Value::set({3, 1, 2}),
      Value::set({0.0, -0.0, 1, "1", true, nullptr}),
      Value::set(
          {Value::integer("100000000000000000000"), Value::integer("100000000000000000001")}),
      Value::set({Value::tuple({1}), Value::tuple({1, 2}), Value::tuple({}), 1}),
      Value::set({frozen({1, frozen({2})}), frozen({2, frozen({1})}), frozen({2})}),
  };
  for (const ss::test::FormatPointer& format : formats()) {
    CAPTURE(format->name());
    for (const Value& set : sets)
      CHECK(ss::load(ss::save(set, {.format = format}), {.format = format}) == set);
  }
}
