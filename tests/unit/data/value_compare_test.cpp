/// \file
/// Two Values are equal when they would be the same file.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/value.hpp>

namespace ss = safestructures;
using ss::Value;

namespace {

const std::array<float, 4> numbers = {1, 2, 3, 4};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Value frozenset(std::vector<Value> items) {
  Value set = Value::set(std::move(items));
  set.set_type_name("frozenset");
  return set;
}

}  // namespace

TEST_CASE("values of other kinds, contents, orders or names differ") {
  const std::span<const float> four(numbers);
  const std::vector<Value> all_different = {
      Value(),
      true,
      false,
      0,
      1,
      -1,
      Value::integer("18446744073709551616"),
      Value::integer("18446744073709551617"),
      0.0,
      -0.0,
      1.0,
      not_a_number,
      std::numeric_limits<double>::infinity(),
      std::complex<double>(0, 0),
      std::complex<double>(0, -0.0),
      std::complex<double>(not_a_number, 1),
      "",
      "1",
      Value::bytes(std::as_bytes(four)),
      Value::list(),
      Value::tuple(),
      Value::set(),
      Value::dict(),
      Value::structure(),
      Value::structure("A"),
      Value::list({1, 2}),
      Value::list({2, 1}),
      Value::list({1}),
      Value::set({1, 2}),
      Value::set({1, 3}),
      Value::set({Value::list({1}), Value::list({2})}),
      Value::dict({{"a", 1}, {"b", 2}}),
      Value::dict({{"b", 2}, {"a", 1}}),
      Value::dict({{"a", 1}, {"b", 3}}),
      Value::dict({{1, 1}}),
      Value::dict({{true, 1}}),
      Value::structure("A", {{"x", 1}}),
      Value::structure("A", {{"y", 1}}),
      Value::structure("B", {{"x", 1}}),
      Value(ss::Tensor::of(four)),
      Value(ss::Tensor::of(four, {2, 2})),
      Value(ss::Tensor::of(four.first(3))),
      Value(ss::Tensor::borrow(ss::DType::I32, {4}, std::as_bytes(four))),
      Value::custom("a.A", 1),
      Value::custom("a.B", 1),
      Value::custom("a.A", 2)};
  for (std::size_t i = 0; i < all_different.size(); ++i)
    for (std::size_t j = 0; j < all_different.size(); ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK((all_different[i] == all_different[j]) == (i == j));
    }
}

TEST_CASE("sets compare without order") {
  CHECK(Value::set({1, 2, "x"}) == Value::set({"x", 1, 2}));
  CHECK(Value::set({frozenset({1, 2}), 3}) == Value::set({3, frozenset({2, 1})}));
  CHECK(Value::set({not_a_number, 0.0, -0.0}) == Value::set({-0.0, not_a_number, 0.0}));
  std::vector<Value> up;
  std::vector<Value> down;
  for (int i = 0; i < 20000; ++i) {
    up.emplace_back(i);
    down.emplace_back(19999 - i);
  }
  CHECK(Value::set(up) == Value::set(down));
  down[5] = 20001;
  CHECK_FALSE(Value::set(up) == Value::set(down));
  CHECK_FALSE(Value::set({1, 1}) == Value::set({1, 2}));
  CHECK_FALSE(Value::set({1, 2}) == Value::set({1, 1}));
  CHECK_FALSE(Value::set({1, 2}) == Value::set({Value::list(), 1}));
  CHECK(Value::set({Value::list({1}), Value::dict()}) ==
        Value::set({Value::dict(), Value::list({1})}));
}

TEST_CASE("what a set holds twice counts twice") {
  CHECK(Value::set({1, 1, 2}) == Value::set({2, 1, 1}));
  CHECK_FALSE(Value::set({1, 1, 2}) == Value::set({1, 2, 2}));
  const Value a = Value::set({Value::set({1, 1}), Value::set({1, 1}), Value::set({1, 2})});
  CHECK(a == Value::set({Value::set({2, 1}), Value::set({1, 1}), Value::set({1, 1})}));
  CHECK_FALSE(a == Value::set({Value::set({2, 1}), Value::set({2, 1}), Value::set({1, 1})}));
}

TEST_CASE("attributes, tensor names and where bytes lie do not count") {
  Value a = Value::list({Value(ss::Tensor::of(std::span<const float>(numbers)))});
  Value b = a;
  b.set_attribute("version", 1);
  b.items()[0].set_tensor_name("w");
  b.own();
  CHECK(a == b);
  CHECK(Value(1).plain() == Value(1));
  const std::array<std::int64_t, 1> backwards = {-4};
  const std::array<float, 4> reversed = {4, 3, 2, 1};
  const auto last = std::as_bytes(std::span(reversed)).data() + 12;
  CHECK(Value(ss::Tensor::strided(ss::DType::F32, {4}, backwards, last, nullptr)) ==
        Value(ss::Tensor::of(std::span<const float>(numbers))));
}
