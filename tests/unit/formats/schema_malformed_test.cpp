/// \file
/// Every rule of the schema's reader, with the exact text of its error.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/formats/safestructures/schema.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::error_of;

namespace {

const std::array<std::uint8_t, 4> bytes = {1, 2, 3, 4};

/// A file with one tensor, `w`: U8 [2, 2].
std::optional<ss::Tensor> lookup(std::string_view name) {
  if (name != "w") return std::nullopt;
  return ss::Tensor::of(std::span<const std::uint8_t>(bytes), {2, 2});
}

std::string read_error(std::string_view text, const ss::Limits& limits = {}) {
  return error_of([&] { return ss::schema::read(text, lookup, limits); });
}

struct Case {
  std::string schema;
  std::string error;
};

std::string in_list(const std::string& node) {
  return R"({"data_type": "list", "value": [{"data_type": "NoneType", "value": null}, )" + node +
         "]}";
}

const std::string one = R"({"data_type": "int", "value": "1"})";
const std::string no_number = R"({"data_type": "float", "value": "nan"})";

}  // namespace

TEST_CASE("a malformed schema is refused with its place") {
  const std::vector<Case> cases = {
      {"null",
       "invalid_schema: at /: a node of the schema has the wrong form: expected an object with "
       "data_type and value, found null."},
      {in_list("[]"),
       "invalid_schema: at /1: a node of the schema has the wrong form: expected an object with "
       "data_type and value, found an array."},
      {in_list("1"),
       "invalid_schema: at /1: a node of the schema has the wrong form: expected an object with "
       "data_type and value, found a number."},
      {in_list("true"),
       "invalid_schema: at /1: a node of the schema has the wrong form: expected an object with "
       "data_type and value, found a boolean."},
      {in_list("{}"), "invalid_schema: at /1: a node of the schema has no data_type."},
      {in_list(R"({"data_type": "int"})"),
       "invalid_schema: at /1: a node of the schema has no value."},
      {in_list(R"({"data_type": 1, "value": 1})"),
       "invalid_schema: at /1: data_type has the wrong form: expected a string, found a number."},
      {in_list(R"({"data_type": "int", "data_type": "int", "value": "1"})"),
       "duplicate_name: at /1: a node contains a field twice: found 'data_type'."},
      {in_list(R"({"data_type": "int", "value": "1", "value": "1"})"),
       "duplicate_name: at /1: a node contains a field twice: found 'value'."},
      {in_list(R"({"data_type": "dict", "value": {}, "keys": {}, "keys": {}})"),
       "duplicate_name: at /1: a node contains a field twice: found 'keys'."},
      {in_list(R"({"data_type": "list", "value": [], "x": 1, "\u0078": 1})"),
       "duplicate_name: at /1: a node contains a field twice: found 'x'."},
      {in_list(R"({"data_type": "list", "value": [], "keys": {}})"),
       "invalid_schema: at /1: only a dict has keys."},
      {in_list(R"({"data_type": "int", "value": "1", "unit": "m"})"),
       "invalid_schema: at /1: a node of type 'int' has more fields than data_type and value."},
      {in_list(R"({"data_type": "str", "value": "1", "keys": {}})"),
       "invalid_schema: at /1: a node of type 'str' has more fields than data_type and value."},
      {in_list(R"({"data_type": "NoneType", "value": 0})"),
       "invalid_schema: at /1: a node of type 'NoneType' has a wrong value: expected null, found a "
       "number."},
      {in_list(R"({"data_type": "bool", "value": "True"})"),
       "invalid_schema: at /1: a node of type 'bool' has a wrong value: expected true or false, "
       "found a string."},
      {in_list(R"({"data_type": "int", "value": 1.5})"),
       "invalid_schema: at /1: a node of type 'int' has a wrong value: expected digits in a "
       "string, "
       "found a number."},
      {in_list(R"({"data_type": "int", "value": "0x10"})"),
       "invalid_schema: at /1: a node of type 'int' has a text that is not such a number: found "
       "'0x10'."},
      {in_list(R"({"data_type": "int", "value": ")" + std::string(50, 'x') + "\"}"),
       "invalid_schema: at /1: a node of type 'int' has a text that is not such a number: found '" +
           std::string(40, 'x') + "...'."},
      {in_list(R"({"data_type": "int", "value": "\u009b)" + std::string(37, 'x') + "\u00e9\"}"),
       "invalid_schema: at /1: a node of type 'int' has a text that is not such a number: found "
       "'\\u009b" +
           std::string(37, 'x') + "...'."},
      {in_list(R"({"data_type": "int", "value": "1)" + std::string(4300, '0') + "\"}"),
       "limit_exceeded: at /1: an int has too many digits: expected at most 4300 (Limits::digits), "
       "found 4301."},
      {in_list(R"({"data_type": "int", "value": -1)" + std::string(4300, '0') + "}"),
       "limit_exceeded: at /1: an int has too many digits: expected at most 4300 (Limits::digits), "
       "found 4301."},
      {in_list(R"({"data_type": "float", "value": null})"),
       "invalid_schema: at /1: a node of type 'float' has a wrong value: expected a number in a "
       "string, found null."},
      {in_list(R"({"data_type": "float", "value": "1,5"})"),
       "invalid_schema: at /1: a node of type 'float' has a text that is not such a number: found "
       "'1,5'."},
      {in_list(R"({"data_type": "complex", "value": {}})"),
       "invalid_schema: at /1: a node of type 'complex' has a wrong value: expected a number in a "
       "string, found an object."},
      {in_list(R"({"data_type": "complex", "value": "1+2"})"),
       "invalid_schema: at /1: a node of type 'complex' has a text that is not such a number: "
       "found "
       "'1+2'."},
      {in_list(R"({"data_type": "str", "value": 1})"),
       "invalid_schema: at /1: a node of type 'str' has a wrong value: expected a string, found a "
       "number."},
      {in_list(R"({"data_type": "tuple", "value": {}})"),
       "invalid_schema: at /1: a node of type 'tuple' has a wrong value: expected an array, found "
       "an "
       "object."},
      {in_list(R"({"data_type": "set", "value": [)" + one + ", " + one + "]}"),
       "duplicate_name: at /1/1: a set contains an item twice: found int 1. Use a list, which may "
       "repeat items; all NaN count as one item of a set."},
      {in_list(R"({"data_type": "set", "value": [)" + no_number + ", " + one + ", " + no_number +
               "]}"),
       "duplicate_name: at /1/2: a set contains an item twice: found float nan. Use a list, which "
       "may repeat items; all NaN count as one item of a set."},
      {in_list(R"({"data_type": "set", "value": [)" + in_list(one) + ", " + one + ", " +
               in_list(one) + "]}"),
       "duplicate_name: at /1/2: a set contains an item twice: found list of 2. Use a list, which "
       "may repeat items; all NaN count as one item of a set."},
      {in_list(R"({"data_type": "SafestructuresDataclass", "value": []})"),
       "invalid_schema: at /1: a node of type 'SafestructuresDataclass' has a wrong value: "
       "expected "
       "an object, found an array."},
      {in_list(R"({"data_type": "SafestructuresDataclass", "value": {"x": )" + one + R"(, "x": )" +
               one + "}}"),
       "duplicate_name: at /1/x: a struct contains a field twice: found x."},
      {in_list(R"({"data_type": "SafestructuresDataclass", "value": {}, "class": 1})"),
       "invalid_schema: at /1: class has the wrong form: expected a string, found a number."},
      {in_list(R"({"data_type": "dict", "value": {}})"),
       "invalid_schema: at /1: a dict has no keys."},
      {in_list(R"({"data_type": "dict", "value": {}, "keys": []})"),
       "invalid_schema: at /1: keys has the wrong form: expected an object, found an array."},
      {in_list(R"({"data_type": "dict", "value": [], "keys": {}})"),
       "invalid_schema: at /1: a node of type 'dict' has a wrong value: expected an object, found "
       "an "
       "array."},
      {in_list(R"({"data_type": "dict", "value": {"a": )" + one + R"(}, "keys": {}})"),
       "invalid_schema: at /1/a: a dict's value has no key."},
      {in_list(R"({"data_type": "dict", "value": {}, "keys": {"a": )" + one + "}}"),
       "invalid_schema: at /1: a dict has a key without a value."},
      {in_list(R"({"data_type": "dict", "value": {"a": )" + one + R"(, "b": )" + in_list(one) +
               R"(}, "keys": {"b": {"data_type": "str", "value": "b"}, "a": )" + one +
               R"(, "c": )" + one + "}}"),
       "invalid_schema: at /1: a dict has a key without a value."},
      // An integer is none of these, however long.
      {in_list(R"({"data_type": "str", "value": 123456789012345678901234567890})"),
       "invalid_schema: at /1: a node of type 'str' has a wrong value: expected a string, found a "
       "number."},
      {in_list(R"({"data_type": "w", "value": {"data_type": 123456789012345678901234567890, )"
               R"("value": 1}, "m": {"data_type": "bytes", "value": "v"}})"),
       "missing_tensor: at /1/m: the schema names a tensor that the file does not have: found "
       "'v'."},
      {in_list(R"({"data_type": "float", "value": 1)" + std::string(400, '0') + "}"),
       "invalid_schema: at /1: a node of type 'float' has a text that is not such a number: found "
       "'1" +
           std::string(39, '0') + "...'."},
      {in_list(R"({"data_type": "int", "value": NaN})"),
       "invalid_schema: at /1: a node of type 'int' has a wrong value: expected digits in a "
       "string, found a number."},
      {"", "invalid_schema: at /: the schema is not JSON: expected a value, found its end."},
      {"[1,]", "invalid_schema: at /: the schema is not JSON: expected a value, found ']'."},
      {one + "}",
       "invalid_schema: at /: the schema is not JSON: expected nothing after the value, found "
       "'}'."},
      {in_list(R"({"data_type": "dict", "value": {"a": )" + one + R"(, "b": )" + one +
               R"(}, "keys": {"a": )" + one + R"(, "b": )" + one + "}}"),
       "duplicate_name: at /1/b: a dict contains a key twice: found 1."},
      {in_list(R"({"data_type": "dict", "value": {"a": )" + one + R"(, "a": )" + one +
               R"(}, "keys": {"a": )" + one + R"(, "a": {"data_type": "str", "value": "a"}}})"),
       "duplicate_name: at /1/a: a node contains a field twice: found 'a'."},
      {in_list(R"({"data_type": "dict", "value": {"a": )" + one + R"(}, "keys": {"a": )" +
               in_list(one) + "}}"),
       "invalid_argument: at /1/a: a value of this type cannot be a dict key: expected a type that "
       "Python can hash, not a list, dict, set or tensor, found list of 2."},
      {in_list(R"({"data_type": "numpy.ndarray", "value": "v"})"),
       "missing_tensor: at /1: the schema names a tensor that the file does not have: found 'v'."},
      {in_list(R"({"data_type": "torch.Tensor", "value": 0})"),
       "invalid_schema: at /1: a node of type 'torch.Tensor' has a wrong value: expected a string, "
       "found a number."},
      {in_list(R"({"data_type": "bytes", "value": "w"})"),
       "invalid_schema: at /1: bytes name a tensor of another kind: expected U8 of one dimension, "
       "found U8 [2, 2]."},
      {in_list(R"({"data_type": "a.B", "value": {"x": {"data_type": "int", "value": []}}})"),
       "invalid_schema: at /1/x: a node of type 'int' has a wrong value: expected digits in a "
       "string, found an array."},
      {in_list(R"({"data_type": "a.B", "value": {"x": 1, "x": 2}})"),
       "duplicate_name: at /1/x: a dict contains a key twice: found x."},
      {in_list(R"({"data_type": "a.B", "value": 1, "m": {"data_type": "numpy.ndarray", )"
               R"("value": "v"}})"),
       "missing_tensor: at /1/m: the schema names a tensor that the file does not have: found "
       "'v'."},
      {"\xef\xbb\xbf" + one, "invalid_schema: at /: the schema begins with a byte-order mark."},
      {R"({"data_type": "str", "value": ")"
       "\xff\"}",
       "invalid_utf8: at /: the schema is not UTF-8."},
  };
  for (const Case& one_case : cases) {
    CAPTURE(one_case.schema.substr(0, 200));
    CHECK(read_error(one_case.schema) == one_case.error);
  }
}

TEST_CASE("what is not JSON is refused, near JSON too") {
  for (const std::string text :
       {"", "{", "[1,]", "{\"data_type\": \"int\", \"value\": \"1\",}", "/**/ 1", "01", "NaN",
        "nul", "{\"data_type\": \"int\" \"value\": \"1\"}", "\"\\ud800", "\"\\x\"", "1 2",
        "\"a\nb\"", "{\"data_type\": \"int\", \"value\": 1e400}", "\xef\xb7\x90",
        "99999999999999999999x"}) {
    CAPTURE(text);
    CHECK(read_error(text).starts_with("invalid_schema: at /: "));
  }
}

TEST_CASE("nesting is limited alike in nodes, plain JSON and named types") {
  const auto deep = [](const std::string& before, const std::string& inside,
                       const std::string& after, int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += before;
    text += inside;
    for (int i = 0; i < depth; ++i) text += after;
    return text;
  };
  const ss::Limits limits{.depth = 20};
  struct Kind {
    std::string before;
    std::string after;
    std::string around;
  };
  const std::vector<Kind> kinds = {
      {R"({"data_type": "list", "value": [)", "]}", ""},
      {R"({"data_type": "SafestructuresDataclass", "value": {"x": )", "}}", ""},
      {R"({"data_type": "a.B", "value": )", "}", ""},
  };
  for (const Kind& kind : kinds) {
    CAPTURE(kind.before);
    CHECK(read_error(deep(kind.before, one, kind.after, 20), limits) == "no error");
    CHECK(read_error(deep(kind.before, one, kind.after, 21), limits).starts_with("limit_exceeded"));
    CHECK(read_error(deep(kind.before, one, kind.after, 100'000))
              .ends_with("a structure is nested too deeply: expected at most 500 levels "
                         "(Limits::depth)."));
    // What is read can be written.
    const ss::Value value =
        ss::schema::read(deep(kind.before, one, kind.after, 20), lookup, limits);
    CHECK(ss::schema::write(value, {.limits = limits}).text ==
          deep(kind.before, one, kind.after, 20));
  }
  const std::string head = R"({"data_type": "a.B", "value": )";
  CHECK(read_error(head + deep("[", "", "]", 19) + "}", limits) == "no error");
  CHECK(read_error(head + deep("[", "", "]", 21) + "}", limits).starts_with("limit_exceeded"));
  CHECK(read_error(deep("[", "", "", 200'000)) != "no error");
}

TEST_CASE("nodes and extension fields are limited") {
  std::string list = R"({"data_type": "list", "value": [)" + one;
  for (int i = 0; i < 9; ++i) list += ", " + one;
  list += "]}";
  CHECK(read_error(list, {.nodes = 11}) == "no error");
  CHECK(read_error(list, {.nodes = 10}) ==
        "limit_exceeded: at /9: a structure has too many nodes: expected at most 10 "
        "(Limits::nodes).");
  std::string fields = R"({"data_type": "list", "value": [])";
  for (int i = 0; i < 3; ++i) fields += ", \"f" + std::to_string(i) + "\": 1";
  CHECK(read_error(fields + "}", {.attributes = 3}) == "no error");
  CHECK(read_error(fields + "}", {.attributes = 2}) ==
        "limit_exceeded: at /: a node has too many extension fields: expected at most 2 "
        "(Limits::attributes).");
}
