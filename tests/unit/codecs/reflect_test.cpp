// Reflection of plain aggregates: which can be reflected, how many fields they have, their names
// and types.
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
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/codecs/reflect.hpp>
#include "support/aggregates.hpp"

namespace ss = safestructures;
using namespace ss::test;

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

template <class T>
struct Only {
  T only;
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
  CHECK(ss::field_name<Outline, 2> == "points");
}

TEST_CASE("a field name is terminated by zero, as C wants it") {
  CHECK(std::string(ss::field_name<Outline, 1>.data()) == "point");
}

TEST_CASE_TEMPLATE("members of every kind are counted, named and typed", T, int, bool, const int,
                   void*, int Point::*, std::byte, Color, Plain, Either, Empty, Point, Outline,
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

TEST_CASE("a type that cannot be reflected says why") {
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

}  // namespace
