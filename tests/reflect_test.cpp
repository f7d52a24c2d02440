// Reflection of plain aggregates: counting, naming, reading, writing and building their fields.
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <any>
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <concepts>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/codecs/reflect.hpp>

namespace ss = safestructures;

namespace outer::inner {

struct With_Digits2 {
  int a1;
  int _leading;
  int trailing_;
  int MixedCase_42;
  int a_name_that_is_so_long_that_nobody_would_want_to_type_it_again_but_that_is_a_legal_name_1234;
};

template <class T, std::size_t N>
struct Template {
  T value;
  std::array<T, N> values;
};

}  // namespace outer::inner

namespace {

struct Empty {};

struct Point {
  int x;
  double y;
};

struct Nested {
  Empty nothing;
  Point point;
  std::vector<Point> points;
};

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

/// Neither default-constructible nor copyable nor movable, with a private member.
class Immovable {
 public:
  explicit Immovable(int value) : value_(value) {}
  Immovable(const Immovable&) = delete;
  Immovable& operator=(const Immovable&) = delete;
  ~Immovable() = default;
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

/// Only a factory can make one.
class FromFactory {
 public:
  static FromFactory make() { return {}; }

 private:
  FromFactory() = default;
};

/// Takes everything, also what is meant to convert to something else.
struct Greedy {
  Greedy() = default;
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, Greedy>)
  Greedy(T&&) {}  // implicit on purpose
};

struct ExplicitDefault {
  explicit ExplicitDefault() = default;
};

enum class Color { red };
enum Plain { plain };
union Either {
  int number;
  float real;
};

struct Self {
  std::vector<Self> children;
  std::map<std::string, Self> named;
  std::unique_ptr<Self> next;
  std::optional<std::vector<Self>> more;
};

/// A member of the type in question, where mistakes in counting show: first and in the middle.
template <class T>
struct Around {
  T first;
  int second;
  T third;
  char fourth;
};

template <class T>
struct Only {
  T only;
};

struct Arrays {
  float matrix[3][3];
  std::string names[2];
  int one[1];
  Point points[2];
  int last;
};

struct Base {
  int inherited;
};
struct EmptyBase {};
struct Derived : Base {
  int own;
};
struct DerivedFromEmpty : EmptyBase {
  int own;
};
struct DerivedWithoutFields : Base {};
struct DerivedTwice : EmptyBase, Base {};
struct Reference {
  int& reference;
  int number;
};
struct ConstReference {
  int number;
  const int& reference;
};
int some_integer = 0;
struct DefaultedReference {
  int number;
  int& reference = some_integer;
  int other;
};
struct HugeArray {
  char text[4096];
  int number;
};
struct Constructed {
  explicit Constructed(int n) : number(n) {}
  int number;
};
struct Pair {
  int a;
  int b;
};

TEST_CASE("field names are the names in the source") {
  struct Local {
    int of_local_struct;
  };
  using With_Digits2 = outer::inner::With_Digits2;
  CHECK(ss::field_names<Point> == std::array<std::string_view, 2>{"x", "y"});
  CHECK(ss::field_names<const Point> == ss::field_names<Point>);
  CHECK(ss::field_names<With_Digits2> ==
        std::array<std::string_view, 5>{
            "a1", "_leading", "trailing_", "MixedCase_42",
            "a_name_that_is_so_long_that_nobody_would_want_to_type_it_again_but_that_is_a_legal_"
            "name_1234"});
  CHECK(ss::field_names<outer::inner::Template<Point, 3>> ==
        std::array<std::string_view, 2>{"value", "values"});
  CHECK(ss::field_names<Local> == std::array<std::string_view, 1>{"of_local_struct"});
  CHECK(ss::field_names<Empty>.empty());
  CHECK(ss::field_name<Nested, 2> == "points");
}

TEST_CASE("a field name is terminated by zero, as C wants it") {
  CHECK(std::string(ss::field_name<Nested, 1>.data()) == "point");
}

TEST_CASE_TEMPLATE("members of every kind are counted, named and typed", T, int, bool, const int,
                   void*, int Point::*, std::byte, Color, Plain, Either, Empty, Point, Nested,
                   std::complex<double>, std::string, const std::string, std::string_view,
                   std::filesystem::path, std::chrono::seconds, std::optional<int>,
                   std::optional<std::optional<std::string>>, std::optional<Point>,
                   std::optional<std::any>, std::unique_ptr<int>, std::shared_ptr<Point>,
                   std::variant<int>, std::variant<std::monostate, int, std::string>, std::any,
                   std::function<int(int)>, std::vector<int>, std::vector<bool>,
                   std::vector<std::any>, std::map<std::string, std::any>, std::pair<int, Point>,
                   std::tuple<>, std::tuple<std::any>, std::tuple<int, std::string>,
                   std::array<int, 3>, std::array<std::string, 0>, std::atomic<int>, std::mutex,
                   Immovable, const Immovable, FromFactory, Greedy, ExplicitDefault, Self, Arrays) {
  using Member = std::remove_const_t<T>;
  static_assert(ss::ReflectableAggregate<Around<T>>);
  CHECK(ss::field_names<Around<T>> ==
        std::array<std::string_view, 4>{"first", "second", "third", "fourth"});
  CHECK(std::is_same_v<ss::FieldType<Around<T>, 0>, Member>);
  CHECK(std::is_same_v<ss::FieldType<Around<T>, 1>, int>);
  CHECK(std::is_same_v<ss::FieldType<Around<T>, 2>, Member>);
  CHECK(std::is_same_v<ss::FieldType<Around<T>, 3>, char>);
  CHECK(ss::field_names<Only<T>> == std::array<std::string_view, 1>{"only"});
  CHECK(std::is_same_v<ss::FieldType<Only<T>, 0>, Member>);
}

TEST_CASE_TEMPLATE("members from Eigen are counted, named and typed", T, Eigen::Matrix3d,
                   Eigen::MatrixXf, Eigen::VectorXd, Eigen::ArrayXXi, Eigen::Matrix<float, 1, 1>,
                   std::optional<Eigen::Matrix3d>, std::optional<Eigen::MatrixXd>,
                   std::optional<Eigen::Matrix<double, 1, 1>>, std::variant<Eigen::Matrix3d>,
                   std::variant<Eigen::MatrixXd, Eigen::VectorXf>, std::vector<Eigen::Matrix3d>,
                   std::array<Eigen::Vector3f, 2>, std::unique_ptr<Eigen::MatrixXd>,
                   std::pair<Eigen::MatrixXd, int>, std::tuple<Eigen::MatrixXd>) {
  CHECK(ss::field_names<Around<T>> ==
        std::array<std::string_view, 4>{"first", "second", "third", "fourth"});
  CHECK(std::is_same_v<ss::FieldType<Around<T>, 2>, T>);
  CHECK(ss::field_names<Only<T>> == std::array<std::string_view, 1>{"only"});
}

TEST_CASE_TEMPLATE("C arrays are one field each", T, float[3][3], char[1], char[2], std::string[4],
                   int[2][1][2], Point[3], Empty[2], Arrays[2], std::any[2], char[100],
                   Eigen::Matrix3d[2], Immovable[2], ExplicitDefault[2]) {
  CHECK(ss::field_names<Around<T>> ==
        std::array<std::string_view, 4>{"first", "second", "third", "fourth"});
  CHECK(std::is_same_v<ss::FieldType<Around<T>, 0>, T>);
  CHECK(std::is_same_v<ss::FieldType<Around<T>, 2>, T>);
  CHECK(std::is_same_v<ss::FieldType<Only<T>, 0>, T>);
}

TEST_CASE("what cannot be reflected says why") {
  using Problem = ss::detail::ReflectionProblem;
  const auto check = [](std::string_view type, Problem found, Problem expected) {
    CAPTURE(type);
    CHECK(found == expected);
  };
  using ss::detail::reflection_problem;
  check("Point", reflection_problem<Point>, Problem::none);
  check("int", reflection_problem<int>, Problem::not_aggregate);
  check("int[2]", reflection_problem<int[2]>, Problem::not_aggregate);
  check("union", reflection_problem<Either>, Problem::not_aggregate);
  check("std::string", reflection_problem<std::string>, Problem::not_aggregate);
  check("Constructed", reflection_problem<Constructed>, Problem::not_aggregate);
  check("std::array", reflection_problem<std::array<int, 3>>, Problem::tuple_like);
  check("Derived", reflection_problem<Derived>, Problem::base);
  check("DerivedFromEmpty", reflection_problem<DerivedFromEmpty>, Problem::base);
  check("DerivedWithoutFields", reflection_problem<DerivedWithoutFields>, Problem::base);
  check("DerivedTwice", reflection_problem<DerivedTwice>, Problem::base);
  check("Reference", reflection_problem<Reference>, Problem::undetermined);
  check("ConstReference", reflection_problem<ConstReference>, Problem::no_address);
  check("DefaultedReference", reflection_problem<DefaultedReference>, Problem::no_address);
  check("HugeArray", reflection_problem<HugeArray>, Problem::too_many);
}

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
  Nested nested{{}, {1, 2.5}, {}};
  CHECK(&ss::get_field<1>(nested) == &nested.point);
  CHECK(&ss::get_field<2>(std::as_const(nested)) == &nested.points);
  ss::get_field<0>(ss::get_field<1>(nested)) = 7;
  CHECK(nested.point.x == 7);
  CHECK(std::is_same_v<decltype(ss::get_field<1>(nested)), Point&>);
  CHECK(std::is_same_v<decltype(ss::get_field<1>(std::as_const(nested))), const Point&>);
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
  const auto nested = ss::construct<Nested>([]<std::size_t I>() -> ss::FieldType<Nested, I> {
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
