/// \file
/// Enums in columns are compared by their numbers, unless a number has two names.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/attributes.hpp>
#include <safestructures/safestructures.hpp>

namespace {

namespace ss = safestructures;
using ss::Value;

Value column(std::vector<int> numbers, Value names) {
  Value value(ss::Tensor::own(std::move(numbers)));
  value.set_attribute(ss::attributes::names, std::move(names));
  return value;
}

}  // namespace

TEST_CASE("a number with two names is another value, although the numbers are equal") {
  const Value a = column({0, 1, 1}, Value::dict({{"red", 0}, {"green", 1}}));
  const ss::Comparison found =
      ss::compare(a, column({0, 1, 1}, Value::dict({{"red", 0}, {"gr\x1bn", 1}})));
  CHECK_FALSE(found.is_equal());
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].verdict == ss::Verdict::value);
  CHECK(found.rows[0].detail == R"(1 is "green" and "gr\x1bn")");
  CHECK(ss::compare(a, column({1, 0, 0}, Value::dict({{"green", 0}, {"red", 1}}))).rows[0].detail ==
        R"(0 is "red" and "green")");
}

TEST_CASE("numbers whose names do not contradict each other are compared as numbers") {
  const Value names = Value::dict({{"red", 0}, {"green", 1}});
  const Value a = column({0, 1, 1}, names);
  CHECK(ss::compare(a, a).is_equal());
  const ss::Comparison other =
      ss::compare(a, column({0, 2, 1}, Value::dict({{"red", 0}, {"blue", 2}})));
  CHECK(other.rows[0].verdict == ss::Verdict::different);
  CHECK(other.rows[0].metrics->beyond == 1);
  // Without names on one side, or with another program's attribute of that name.
  for (const Value& none : {Value("red"), Value::list({"rot", "green"}), Value::dict({{0, "rot"}}),
                            Value::dict({{"rot", 0.0}})})
    CHECK(ss::compare(a, column({0, 1, 1}, none)).is_equal());
  CHECK(ss::compare(a, Value(ss::Tensor::own(std::vector<int>{0, 1, 1}))).is_equal());
}

TEST_CASE("other attributes and the names of classes are ignored") {
  Value a = Value::structure("A", {{"x", 1}});
  Value b = Value::structure("B", {{"x", 1}});
  a.set_attribute("unit", "m");
  b.set_attribute("unit", "s");
  CHECK(ss::compare(a, b).is_equal());
}
