/// \file
/// The types that plugins/python adds to Python's package load as what they are, and are saved
/// again as they were. The schemas are those of tests/interop/check_python_plugin.py, which makes
/// them.
#include <doctest/doctest.h>

#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Kind;
using ss::Value;

namespace python_types_test {

struct Point {
  int x;
  int y;
};
enum class Colour { RED, BLUE };

}  // namespace python_types_test

namespace {

using python_types_test::Colour;
using python_types_test::Point;

const std::string one = R"({"data_type": "int", "value": "1"})";
const std::string as_dict =
    R"("value": {"a": )" + one + R"(}, "keys": {"a": {"data_type": "str", "value": "a"}})";

Value read(const std::string& schema) {
  return ss::schema::read(schema, [](std::string_view) { return std::optional<ss::Tensor>(); });
}

}  // namespace

TEST_CASE("the containers of Python's collections are the containers that they are") {
  const auto check = [](const std::string& schema, Kind kind, std::string_view name) {
    CAPTURE(schema);
    const Value value = read(schema);
    CHECK(value.kind() == kind);
    CHECK(value.type_name() == name);
    CHECK(value.size() == 1);
    CHECK(ss::schema::write(value).text == schema);
  };
  for (const std::string_view name : {"collections.OrderedDict", "collections.Counter"})
    check(R"({"data_type": ")" + std::string(name) + R"(", )" + as_dict + "}", Kind::dict, name);
  for (const std::string_view factory : {R"("list")", "null"})
    check(R"({"data_type": "collections.defaultdict", )" + as_dict + R"(, "default_factory": )" +
              std::string(factory) + "}",
          Kind::dict, "collections.defaultdict");
  for (const std::string_view most : {R"("5")", "null"})
    check(R"({"data_type": "collections.deque", "value": [)" + one + R"(], "maxlen": )" +
              std::string(most) + "}",
          Kind::list, "collections.deque");
}

TEST_CASE("the containers of Python's collections load into C++ containers") {
  const Value ordered = read(R"({"data_type": "collections.OrderedDict", )" + as_dict + "}");
  CHECK(ordered.as<std::map<std::string, int>>() == std::map<std::string, int>{{"a", 1}});
  CHECK(ordered["a"].as_int64() == 1);
  const Value deque =
      read(R"({"data_type": "collections.deque", "value": [)" + one + R"(], "maxlen": "5"})");
  CHECK(deque.as<std::deque<int>>() == std::deque<int>{1});
  CHECK(deque.as<std::vector<std::int64_t>>() == std::vector<std::int64_t>{1});
  CHECK(deque.attribute("maxlen")->as_string() == "5");
}

TEST_CASE("a named tuple of Python is a custom value that loads into a struct") {
  const std::string schema = R"({"data_type": "collections.namedtuple", "value": {"x": )" + one +
                             R"(, "y": )" + one + R"(}, "class": "Point"})";
  const Value value = read(schema);
  CHECK(value.kind() == Kind::custom);
  const Point point = value.as<Point>();
  CHECK(point.x == 1);
  CHECK(point.y == 1);
  CHECK(value.at("/x").as_int64() == 1);
  CHECK(ss::schema::write(value).text == schema);
}

TEST_CASE("an enum of Python loads by its name") {
  const std::string schema = R"({"data_type": "enum.Enum", "value": "RED", "class": "Colour"})";
  const Value value = read(schema);
  CHECK(value.as<Colour>() == Colour::RED);
  CHECK(value.as<std::string>() == "RED");
  CHECK(ss::schema::write(value).text == schema);
}

TEST_CASE("a path of Python loads as one") {
  const Value value = read(R"({"data_type": "pathlib.Path", "value": "a/b"})");
  CHECK(value.as<std::filesystem::path>() == std::filesystem::path("a/b"));
  CHECK(value.as<std::string>() == "a/b");
}

TEST_CASE("a type of collections that is spelled otherwise is a custom type") {
  for (const std::string_view payload :
       {R"("value": [["a", 1]])", R"("value": {"a": 1}, "keys": {"a": 1})", R"("value": {"a": 1})",
        R"("value": {"a": {"data_type": "int", "value": "1"}}, "keys": null)",
        R"("value": {"data_type": "dict", "value": {}, "keys": {}}, "keys": {})",
        R"("value": "text")"}) {
    CAPTURE(payload);
    const std::string schema =
        R"({"data_type": "collections.OrderedDict", )" + std::string(payload) + "}";
    const Value value = read(schema);
    CHECK(value.kind() == Kind::custom);
    CHECK(ss::schema::write(value).text == schema);
  }
  for (const std::string_view payload :
       {R"("value": [1, 2])", R"("value": {"0": 1})",
        R"("value": {"data_type": "list", "value": [{"data_type": "NoneType", "value": null}]})"}) {
    CAPTURE(payload);
    const std::string schema =
        R"({"data_type": "collections.deque", )" + std::string(payload) + "}";
    CHECK(read(schema).kind() == Kind::custom);
    CHECK(ss::schema::write(read(schema)).text == schema);
  }
}

TEST_CASE("a scalar of NumPy loads as a tensor of rank 0") {
  const Value value =
      ss::schema::read(R"({"data_type": "numpy.float32", "value": "0"})", [](std::string_view) {
        return std::optional(ss::Tensor::own(std::vector<float>{1.5F}, ss::Shape{}));
      });
  CHECK(value.kind() == Kind::custom);
  const auto scalar = value.as<ss::Tensor>();
  CHECK(scalar.data<float>()[0] == 1.5F);
}

TEST_CASE("a scalar of NumPy loads as a number, if that can hold it") {
  const auto scalar = [](const char* type, ss::Tensor tensor) {
    return ss::schema::read(R"({"data_type": ")" + std::string(type) + R"(", "value": "0"})",
                            [&](std::string_view) { return std::optional(tensor); });
  };
  const Value floating =
      scalar("numpy.float64", ss::Tensor::own(std::vector<double>{1.5}, ss::Shape{}));
  CHECK(floating.as<float>() == 1.5F);
  CHECK(floating.as<double>() == 1.5);
  CHECK(floating.as<std::complex<float>>() == std::complex<float>(1.5F));
  CHECK(floating.as<std::optional<float>>() == 1.5F);
  CHECK(Value::list({floating, floating}).as<std::vector<float>>() ==
        std::vector<float>{1.5F, 1.5F});
  CHECK(ss::test::error_of([&] { return floating.as<int>(); }) ==
        "type_mismatch: at /: a value has the wrong type: expected int, found float 1.5.");
  const Value integer =
      scalar("numpy.int64", ss::Tensor::own(std::vector<std::int64_t>{-200}, ss::Shape{}));
  CHECK(integer.as<long>() == -200);
  CHECK(integer.as<double>() == -200);
  CHECK(ss::test::error_of([&] { return integer.as<std::int8_t>(); }) ==
        "out_of_range: at /: a number is out of range: expected an int from -128 to 127, found int "
        "-200. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(ss::test::error_of([&] { return integer.as<unsigned>(); }).starts_with("out_of_range"));
  using IntOrFloat = std::variant<int, float>;
  CHECK(floating.as<IntOrFloat>() == IntOrFloat(1.5F));
  CHECK(integer.as<IntOrFloat>() == IntOrFloat(-200));
  CHECK(floating.as<std::variant<std::string, float>>().index() == 1);
  CHECK(floating.as<std::variant<float, ss::Tensor>>().index() == 1);  // As it is, where it can be.
  CHECK(
      ss::test::error_of([&] { return floating.as<std::variant<bool, std::string>>(); }) ==
      "type_mismatch: at /: no alternative of a variant can load the value: expected one of bool, "
      "str, found custom numpy.float64.");
  const std::byte true_byte{1};
  const Value boolean = scalar(
      "numpy.bool", ss::Tensor::borrow(ss::DType::BOOL, ss::Shape{}, std::span(&true_byte, 1)));
  CHECK(boolean.as<bool>());
  // One with dimensions is no number.
  const Value list = scalar("numpy.float32", ss::Tensor::own(std::vector<float>{1.5F}));
  CHECK(ss::test::error_of([&] { return list.as<float>(); }) ==
        "type_mismatch: at /: a value has the wrong type: expected float, found custom "
        "numpy.float32.");
}

TEST_CASE("a custom value loads into nothing that cannot hold its payload") {
  const Value value = read(R"({"data_type": "pathlib.Path", "value": "a/b"})");
  CHECK(ss::test::error_of([&] { return value.as<int>(); }) ==
        "type_mismatch: at /: a value has the wrong type: expected int, found custom "
        "pathlib.Path.");
}
