// The fields of plain aggregates: reading, writing, visiting and building them.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/codecs/reflect.hpp>
#include "support/aggregates.hpp"

namespace ss = safestructures;
using namespace ss::test;

namespace {

struct Hundred {
  int f0;
  double f1;
  std::string f2;
  std::vector<float> f3;
  std::optional<int> f4;
  int f5;
  double f6;
  std::string f7;
  std::vector<float> f8;
  std::optional<int> f9;
  int f10;
  double f11;
  std::string f12;
  std::vector<float> f13;
  std::optional<int> f14;
  int f15;
  double f16;
  std::string f17;
  std::vector<float> f18;
  std::optional<int> f19;
  int f20;
  double f21;
  std::string f22;
  std::vector<float> f23;
  std::optional<int> f24;
  int f25;
  double f26;
  std::string f27;
  std::vector<float> f28;
  std::optional<int> f29;
  int f30;
  double f31;
  std::string f32;
  std::vector<float> f33;
  std::optional<int> f34;
  int f35;
  double f36;
  std::string f37;
  std::vector<float> f38;
  std::optional<int> f39;
  int f40;
  double f41;
  std::string f42;
  std::vector<float> f43;
  std::optional<int> f44;
  int f45;
  double f46;
  std::string f47;
  std::vector<float> f48;
  std::optional<int> f49;
  int f50;
  double f51;
  std::string f52;
  std::vector<float> f53;
  std::optional<int> f54;
  int f55;
  double f56;
  std::string f57;
  std::vector<float> f58;
  std::optional<int> f59;
  int f60;
  double f61;
  std::string f62;
  std::vector<float> f63;
  std::optional<int> f64;
  int f65;
  double f66;
  std::string f67;
  std::vector<float> f68;
  std::optional<int> f69;
  int f70;
  double f71;
  std::string f72;
  std::vector<float> f73;
  std::optional<int> f74;
  int f75;
  double f76;
  std::string f77;
  std::vector<float> f78;
  std::optional<int> f79;
  int f80;
  double f81;
  std::string f82;
  std::vector<float> f83;
  std::optional<int> f84;
  int f85;
  double f86;
  std::string f87;
  std::vector<float> f88;
  std::optional<int> f89;
  int f90;
  double f91;
  std::string f92;
  std::vector<float> f93;
  std::optional<int> f94;
  int f95;
  double f96;
  std::string f97;
  std::vector<float> f98;
  std::optional<int> f99;
};

struct Pair {
  int a;
  int b;
};

TEST_CASE("a hundred fields are reflected and built") {
  CHECK(ss::field_count<Hundred> == 100);
  CHECK(ss::field_name<Hundred, 0> == "f0");
  CHECK(ss::field_name<Hundred, 99> == "f99");
  const auto built = ss::construct<Hundred>([]<std::size_t I>() -> ss::FieldType<Hundred, I> {
    using Field = ss::FieldType<Hundred, I>;
    if constexpr (std::is_same_v<Field, std::string>) return std::to_string(I);
    else if constexpr (std::is_same_v<Field, std::vector<float>>) return Field(I);
    else return static_cast<int>(I);
  });
  CHECK(built.f0 == 0);
  CHECK(built.f97 == "97");
  CHECK(built.f98.size() == 98);
  CHECK(built.f99 == 99);
}

TEST_CASE("get_field refers to the member itself") {
  Outline outline{{}, {1, 2.5}, {}};
  CHECK(&ss::get_field<1>(outline) == &outline.point);
  CHECK(&ss::get_field<2>(std::as_const(outline)) == &outline.points);
  ss::get_field<0>(ss::get_field<1>(outline)) = 7;
  CHECK(outline.point.x == 7);
  CHECK(std::is_same_v<decltype(ss::get_field<1>(outline)), Point&>);
  CHECK(std::is_same_v<decltype(ss::get_field<1>(std::as_const(outline))), const Point&>);
  Around<const int> constant{1, 2, 3, 'c'};
  CHECK(std::is_same_v<decltype(ss::get_field<0>(constant)), const int&>);
  CHECK(ss::get_field<2>(constant) == 3);
}

TEST_CASE("get_field refers to the whole of a C array") {
  Arrays arrays{{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, {"a", "b"}, {1}, {{1, 2}, {3, 4}}, 5};
  ss::get_field<0>(arrays)[2][1] = -1;
  CHECK(arrays.matrix[2][1] == -1);
  CHECK(&ss::get_field<1>(arrays)[1] == &arrays.names[1]);
}

TEST_CASE("for_each_field visits name, field and index in order of declaration") {
  Point point{3, 0.5};
  std::vector<std::string> seen;
  ss::for_each_field(point, [&](std::string_view name, auto& field, auto index) {
    static_assert(std::is_same_v<std::remove_reference_t<decltype(field)>,
                                 ss::FieldType<Point, decltype(index)::value>>);
    seen.push_back(std::to_string(index()) + " " + std::string(name));
    field += 1;
  });
  CHECK(seen == std::vector<std::string>{"0 x", "1 y"});
  CHECK(point.x == 4);
  CHECK(point.y == 1.5);
  const Point& constant = point;
  ss::for_each_field(constant, [](std::string_view, auto& field, auto) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(field)>>);
  });
  Empty empty;
  int visits = 0;
  ss::for_each_field(empty, [&](std::string_view, auto&, auto) { ++visits; });
  CHECK(visits == 0);
}

TEST_CASE("reflection works in constant expressions") {
  constexpr Pair built =
      ss::construct<Pair>([]<std::size_t I>() { return static_cast<int>(I) + 1; });
  static_assert(built.a == 1 && built.b == 2);
  static_assert(ss::get_field<1>(built) == 2);
  constexpr int sum = [](Pair pair) {
    int result = 0;
    ss::for_each_field(pair, [&](std::string_view, int& field, auto) { result += field; });
    return result;
  }(built);
  CHECK(sum == 3);
}

struct MakeImmovable {
  std::vector<std::size_t>& order;
  template <std::size_t I>
  ss::FieldValue<Around<const Immovable>, I> operator()() {
    order.push_back(I);
    return ss::FieldValue<Around<const Immovable>, I>(static_cast<char>(10 * I));
  }
};

TEST_CASE("construct builds members that can be neither moved nor assigned, in order") {
  std::vector<std::size_t> order;
  const auto built = ss::construct<Around<const Immovable>>(MakeImmovable{order});
  CHECK(built.first.value() == 0);
  CHECK(built.second == 10);
  CHECK(built.third.value() == 20);
  CHECK(built.fourth == 30);
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("construct fills C arrays from std::array of the same shape") {
  std::vector<std::size_t> order;
  const auto built = ss::construct<Arrays>([&]<std::size_t I>() -> ss::FieldValue<Arrays, I> {
    order.push_back(I);
    if constexpr (I == 0) return {{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}};
    else if constexpr (I == 1) return {"a string too long for the small buffer", "b"};
    else if constexpr (I == 2) return {17};
    else if constexpr (I == 3) return {{{1, 2.5}, {3, 4.5}}};
    else return 99;
  });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
  float expected = 0;
  for (const auto& row : built.matrix) {
    for (const float found : row) CHECK(found == expected++);
  }
  CHECK(built.names[0] == "a string too long for the small buffer");
  CHECK(built.names[1] == "b");
  CHECK(built.one[0] == 17);
  CHECK(built.points[1].x == 3);
  CHECK(built.points[1].y == 4.5);
  CHECK(built.last == 99);
}

TEST_CASE("construct builds an empty struct and a struct of structs") {
  static_cast<void>(ss::construct<Empty>([]<std::size_t>() {}));
  const auto nested = ss::construct<Outline>([]<std::size_t I>() -> ss::FieldType<Outline, I> {
    if constexpr (I == 1) return {1, 2};
    else if constexpr (I == 2) return {{3, 4}};
    else return {};
  });
  CHECK(nested.point.x == 1);
  CHECK(nested.points.at(0).y == 4);
}

TEST_CASE("a generator that throws leaves nothing behind") {
  auto counted = std::make_shared<int>(1);
  const auto build = [&] {
    return ss::construct<Around<std::shared_ptr<int>>>(
        [&]<std::size_t I>() -> ss::FieldType<Around<std::shared_ptr<int>>, I> {
          if constexpr (I == 2) throw std::runtime_error("no third");
          else if constexpr (I == 0) return counted;
          else return {};
        });
  };
  CHECK_THROWS_WITH_AS(build(), "no third", std::runtime_error);
  CHECK(counted.use_count() == 1);
}

}  // namespace
