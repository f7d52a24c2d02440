/// \file
/// The schema's text is Python's, and everything a Value holds comes back from it.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <safestructures/formats/safestructures/schema.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::schema::Written;
using ss::test::error_of;

namespace {

const std::array<float, 4> floats = {1, 2, 3, 4};
const std::array<double, 2> doubles = {1, 2};

Value tensor(std::string name = {}) {
  Value value(ss::Tensor::of(std::span<const float>(floats)));
  value.set_tensor_name(std::move(name));
  return value;
}

/// Reads what was written, with the tensors as they would be stored.
Value read_again(const Written& written) {
  std::map<std::string, ss::Tensor, std::less<>> stored;
  for (const ss::safetensors::Item& one : written.tensors)
    REQUIRE(stored.emplace(one.name, one.tensor->to(one.dtype)).second);
  return ss::schema::read(written.text, [&](std::string_view name) {
    const auto found = stored.find(name);
    return found == stored.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string write_error(const Value& value, const ss::SaveOptions& options = {}) {
  return error_of([&] { return ss::schema::write(value, options); });
}

std::vector<std::string> names_of(const Written& written) {
  std::vector<std::string> names;
  for (const ss::safetensors::Item& one : written.tensors) names.emplace_back(one.name);
  return names;
}

}  // namespace

TEST_CASE("a structure is written as Python writes it") {
  const Value root = Value::dict(
      {{"a", Value::list({1, -2.5, true, Value(), "t\"\n\xc3\xa9\xf0\x9f\x98\x80\x7f"})},
       {1, Value::tuple({std::complex<double>(1, 2)})},
       {"s", Value::structure("acme::Pose", {{"x", Value::set()}})}});
  CHECK(ss::schema::write(root).text ==
        R"({"data_type": "dict", "value": {"a": {"data_type": "list", "value": [)"
        R"({"data_type": "int", "value": "1"}, {"data_type": "float", "value": "-2.5"}, )"
        R"({"data_type": "bool", "value": true}, {"data_type": "NoneType", "value": null}, )"
        R"({"data_type": "str", "value": "t\"\n\u00e9\ud83d\ude00\u007f"}]}, )"
        R"_("1": {"data_type": "tuple", "value": [{"data_type": "complex", "value": "(1+2j)"}]}, )_"
        R"("s": {"data_type": "SafestructuresDataclass", "value": {"x": {"data_type": "set", )"
        R"("value": []}}, "class": "acme::Pose"}}, "keys": {"a": {"data_type": "str", "value": )"
        R"("a"}, "1": {"data_type": "int", "value": "1"}, "s": {"data_type": "str", "value": )"
        R"("s"}}})");
  CHECK(read_again(ss::schema::write(root)) == root);
}

TEST_CASE("tensors are named by their paths or numbered, and told apart") {
  const Value root =
      Value::dict({{"layers", Value::list({Value::dict({{"weight", tensor()}}), tensor()})},
                   {"layers.1", tensor()},
                   {"own", tensor("my name")}});
  CHECK(names_of(ss::schema::write(root)) ==
        std::vector<std::string>{"layers.0.weight", "layers.1", "layers.1#2", "my name"});
  CHECK(names_of(ss::schema::write(root, {.tensor_names = ss::TensorNames::numbers})) ==
        std::vector<std::string>{"0", "1", "2", "my name"});
  CHECK(names_of(ss::schema::write(tensor())) == std::vector<std::string>{"tensor"});
  CHECK(read_again(ss::schema::write(root)) == root);
}

TEST_CASE("places that are spelled alike get names of their own") {
  const std::array<std::byte, 1> byte = {std::byte{7}};
  const auto with_attribute = [](Value value, std::string_view name) {
    value.set_attribute(name, tensor());
    return value;
  };
  struct Case {
    Value value;
    std::vector<std::string> names;
  };
  const std::vector<Case> cases = {
      {Value::dict({{"a", Value::list({tensor()})}, {"a.0", tensor()}}), {"a.0", "a.0#2"}},
      {Value::structure("", {{"a.0", tensor()}, {"a", Value::tuple({tensor()})}}),
       {"a.0", "a.0#2"}},
      {Value::dict({{0.5, tensor()}, {"0", Value::dict({{5, tensor()}})}}), {"0.5", "0.5#2"}},
      {Value::dict({{"", tensor()}, {"tensor", tensor()}}), {"tensor", "tensor#2"}},
      {Value::dict({{"", Value::list({tensor()})}, {0, tensor()}}), {"0", "0#2"}},
      {Value::dict({{Value::bytes(byte), tensor()}}), {"b'\\x07'", "b'\\x07'#2"}},
      {with_attribute(Value::list({tensor()}), "0"), {"0", "0#2"}},
      {with_attribute(Value::custom("acme.Pair", Value::dict({{"x", tensor()}})), "x"),
       {"x", "x#2"}},
      {Value::list({tensor("1"), tensor()}), {"1", "1#2"}},
      {Value::list({tensor("0#2"), tensor("0"), tensor()}), {"0#2", "0", "2"}},
  };
  for (const Case& one : cases) {
    const Written written = ss::schema::write(one.value);
    CAPTURE(written.text);
    CHECK(names_of(written) == one.names);
    CHECK(read_again(written) == one.value);
  }
  CHECK(names_of(ss::schema::write(Value::list({tensor("1"), tensor()}),
                                   {.tensor_names = ss::TensorNames::numbers})) ==
        std::vector<std::string>{"1", "1#2"});
}

TEST_CASE("no two tensors of a tree get the same name") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t count) { return random() % count; };
  const std::array<Value, 9> keys = {
      "", "a", "a.0", "0", 0, 0.5, "tensor", "a#2", Value::bytes(std::span<const std::byte>())};
  const std::function<Value(unsigned)> tree = [&](unsigned depth) -> Value {
    switch (below(depth == 0 ? 3 : 7)) {
      case 0: return 1;
      case 1: return tensor();
      case 2: return below(8) == 0 ? tensor("0") : tensor();
      case 3: return Value::custom("acme.Any", tree(depth - 1));
      case 4:
      case 5: {
        Value list = Value::list();
        for (std::size_t i = below(4); i > 0; --i) list.push_back(tree(depth - 1));
        if (below(8) == 0) list.set_attribute("0", tensor());
        return list;
      }
      default: {
        Value dict = Value::dict();
        for (std::size_t i = below(4); i > 0; --i)
          dict.insert_or_assign(keys[below(keys.size())], tree(depth - 1));
        return dict;
      }
    }
  };
  for (int i = 0; i < 2000; ++i) {
    const Value root = tree(4);
    for (const ss::TensorNames names : {ss::TensorNames::paths, ss::TensorNames::numbers}) {
      const Written written = ss::schema::write(root, {.tensor_names = names});
      CAPTURE(written.text);
      CHECK(read_again(written) == root);  // Fails for two of one name.
    }
  }
}

TEST_CASE("any number of tensors get names of their own, in attributes too") {
  Value root = Value::list();
  Value more = Value::list();
  for (int i = 0; i < 300; ++i) more.push_back(tensor());
  for (int i = 0; i < 300; ++i) {
    root.push_back(tensor(std::to_string(i)));
    more.push_back(tensor(std::to_string(i)));
  }
  root.set_attribute("more", std::move(more).plain());
  const Written written = ss::schema::write(root);
  CHECK(written.tensors.size() == 600);
  CHECK(read_again(written) == root);
}

TEST_CASE("one name and the same elements are stored once; another view gets a name of its own") {
  Value part(ss::Tensor::of(std::span<const float>(floats).first(2)));
  part.set_tensor_name("w");
  const Value root = Value::list({tensor("w"), tensor("w"), part});
  const Written written = ss::schema::write(root);
  CHECK(names_of(written) == std::vector<std::string>{"w", "w#2"});
  CHECK(read_again(written) == root);
}

TEST_CASE("precision applies to floating tensors, and the original dtype is noted") {
  const std::array<std::int32_t, 1> integers = {7};
  const Value root = Value::list({Value(ss::Tensor::of(std::span<const double>(doubles))), tensor(),
                                  Value(ss::Tensor::of(std::span<const std::int32_t>(integers)))});
  const auto dtypes = [&](ss::Precision precision) {
    std::string text;
    for (const auto& stored : ss::schema::write(root, {.precision = precision}).tensors)
      text += std::string(to_string(stored.dtype)) + " ";
    return text;
  };
  CHECK(dtypes(ss::Precision::f32) == "F32 F32 I32 ");
  CHECK(dtypes(ss::Precision::preserve) == "F64 F32 I32 ");
  CHECK(dtypes(ss::Precision::f16) == "F16 F16 I32 ");
  CHECK(dtypes(ss::Precision::bf16) == "BF16 BF16 I32 ");
  CHECK(dtypes(ss::Precision::f64) == "F64 F64 I32 ");
  const Written written = ss::schema::write(root);
  CHECK(written.text ==
        R"({"data_type": "list", "value": [{"data_type": "numpy.ndarray", "value": "0", "dtype": )"
        R"("F64"}, {"data_type": "numpy.ndarray", "value": "1"}, {"data_type": "numpy.ndarray", )"
        R"("value": "2"}]})");
  // Saved again without being restored, the note stays as long as it says something.
  const Value again = read_again(written);
  CHECK(ss::schema::write(again, {.precision = ss::Precision::preserve}).text == written.text);
  CHECK(ss::schema::write(again, {.precision = ss::Precision::f64}).text.find("F64") ==
        std::string::npos);
}

TEST_CASE("a noted dtype from outside cannot break the JSON") {
  Value value = tensor("w");
  value.set_attribute("dtype", "\"}, \"x\": \"");
  const Value again = read_again(ss::schema::write(value));
  CHECK(*again.attribute("dtype") == Value("\"}, \"x\": \""));
  CHECK(again.attribute("x") == nullptr);
  value.set_attribute("dtype", Value::list({1}));
  CHECK(read_again(ss::schema::write(value)).attributes().at(0).value == Value::list({1}));
}

TEST_CASE("keys that look alike get labels of their own") {
  const Value root = Value::dict(
      {{1, "int"}, {"1", "str"}, {"1#2", "hash"}, {true, 1}, {"True", 2}, {1.0, 3}, {"1.0", 4}});
  CHECK(read_again(ss::schema::write(root)) == root);
}

TEST_CASE("the attributes of containers keep kinds, tensors and order") {
  Value root = Value::list();
  root.set_attribute("z", 1);
  root.set_attribute("a", Value::dict({{"y", Value::list({1.0, Value(), true, "s"})}}));
  root.set_attribute("mask", tensor());
  root.set_attribute("pose", Value::custom("a.B", Value::list({Value(2).plain()}).plain()));
  const Written written = ss::schema::write(root);
  CHECK(written.text ==
        R"({"data_type": "list", "value": [], "z": 1, "a": {"y": [1.0, null, true, "s"]}, )"
        R"("mask": {"data_type": "numpy.ndarray", "value": "mask"}, )"
        R"("pose": {"data_type": "a.B", "value": [2]}})");
  const Value again = read_again(written);
  REQUIRE(again.attributes().size() == 4);
  CHECK(again.attribute("mask")->tensor() == tensor().tensor());
  CHECK(ss::schema::write(again).text == written.text);
  root.set_attribute("bad", Value::dict({{1, 1}}));
  CHECK(write_error(root) ==
        "invalid_argument: at /bad: a key of this type cannot be plain JSON: expected a str, "
        "found 1.");
  root.set_attribute("bad", Value::tuple());
  CHECK(
      write_error(root) ==
      "invalid_argument: at /bad: a value of this type cannot be plain JSON: expected None, bool, "
      "int, float, str, tensor, list or dict, found tuple.");
}

TEST_CASE(
    "a plain tensor is a whole payload; inside one, where its name would be a str, it is refused") {
  const Value tensor = Value(ss::Tensor::own<std::uint8_t>({1, 0}, {2})).plain();
  const auto error = [](Value payload) {
    return write_error(Value::custom("acme.T", std::move(payload).plain()));
  };
  const std::string message =
      ": a tensor inside plain JSON is marked as plain: expected a tensor with a node, found "
      "tensor U8 [2]. Do not mark it: no plain(), and in JSON no $plain around it.";
  CHECK(read_again(ss::schema::write(Value::custom("acme.T", tensor))).payload().kind() ==
        ss::Kind::tensor);
  CHECK(error(Value::list({tensor})) == "invalid_argument: at /0" + message);
  CHECK(error(Value::dict({{"x", tensor}})) == "invalid_argument: at /x" + message);
  Value root = Value::dict();
  root.set_attribute("note", Value::list({tensor}));
  CHECK(write_error(root) == "invalid_argument: at /note/0" + message);
}

TEST_CASE("a plain dict that would be read as a node is refused") {
  const Value dict =
      Value::dict({{"data_type", Value("list").plain()}, {"value", Value("x").plain()}});
  const auto error = [](const Value& payload) {
    return write_error(Value::dict({{"a", Value::custom("acme.T", payload)}}));
  };
  const std::string message =
      "a plain dict has the form of a node: expected no dict with 'data_type' and 'value', found "
      "data_type 'list'. Rename the keys, or do not make the dict plain.";
  CHECK(error(Value(dict).plain()) == "invalid_argument: at /a: " + message);
  CHECK(error(Value::list({Value(dict).plain()}).plain()) ==
        "invalid_argument: at /a/0: " + message);
  // In an attribute only what may name a tensor is a node.
  Value root = Value::dict();
  root.set_attribute("note", dict);
  CHECK(read_again(ss::schema::write(root)).attributes().at(0).value.size() == 2);
  root.set_attribute("note", Value::dict({{"data_type", "acme.T"}, {"value", "x"}}));
  CHECK(write_error(root).starts_with("invalid_argument: at /note: a plain dict has the form"));
  root.set_attribute("note", Value::dict({{"data_type", "acme.T"}, {"value", 1}}));
  CHECK(read_again(ss::schema::write(root)).attributes().at(0).value.size() == 2);
}

TEST_CASE("a type that nobody knows comes back as it was, its tensors too") {
  const std::string text =
      R"({"data_type": "acme.Masked", "value": {"data": {"data_type": "numpy.ndarray", "value": )"
      R"("w"}, "fill": 12345678901234567890123, "list": [{"data_type": "int", "value": "1"}]}, )"
      R"("mask": {"data_type": "numpy.ndarray", "value": "m"}, "keys": {"x": {"data_type": "int", )"
      R"("value": "1"}}})";
  const Value value = ss::schema::read(text, [](std::string_view) {
    return std::optional(ss::Tensor::of(std::span<const float>(floats)));
  });
  const Written written = ss::schema::write(value);
  CHECK(written.text == text);
  CHECK(names_of(written) == std::vector<std::string>{"w", "m"});
}

TEST_CASE("a tensor that a type names without a node is stored as it is") {
  const Value value =
      ss::schema::read(R"({"data_type": "acme.Volume", "value": "v"})", [](std::string_view) {
        return std::optional(ss::Tensor::of(std::span<const double>(doubles)));
      });
  CHECK(value.payload().kind() == ss::Kind::tensor);
  const Written written = ss::schema::write(value);
  CHECK(written.text == R"({"data_type": "acme.Volume", "value": "v"})");
  CHECK(written.tensors.at(0).dtype == ss::DType::F64);
}

TEST_CASE("bare NaN and Infinity are read and written as Python's json does") {
  const auto none = [](std::string_view) { return std::optional<ss::Tensor>(); };
  const Value list = ss::schema::read(
      R"({"data_type": "list", "value": [{"data_type": "float", "value": NaN}, )"
      R"({"data_type": "float", "value": -Infinity}, {"data_type": "complex", "value": Infinity}, )"
      R"({"data_type": "float", "value": 1e999}]})",
      none);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(list == Value::list({std::numeric_limits<double>::quiet_NaN(), -infinity,
                             std::complex<double>(infinity), infinity}));
  const std::string text = R"({"data_type": "a.B", "value": [NaN, Infinity, -Infinity, 1.5]})";
  CHECK(ss::schema::write(ss::schema::read(text, none)).text == text);
}

TEST_CASE("lone surrogates, and the marks that stand for them, come back to the byte") {
  const std::string lone = "\xed\xa0\x80 \xed\xbf\xbf";
  const std::string marks =
      "\xef\xb7\x90"
      "d800 \xef\xb7\x91"
      "1";
  const Value root = Value::dict(
      {{"a" + lone, lone + marks}, {marks, Value::structure(lone, {{lone + "x", marks}})}});
  CHECK(read_again(ss::schema::write(root)) == root);
  const Value same = ss::schema::read(
      R"({"data_type": "list", "value": [{"data_type": "str", "value": "\uFDD0d800\ud800"}]})",
      [](std::string_view) { return std::optional<ss::Tensor>(); });
  CHECK(same[0] == Value("\xef\xb7\x90"
                         "d800\xed\xa0\x80"));
}

TEST_CASE("half a surrogate pair in the place of a tensor is replaced in its name") {
  Value dict = Value::dict();
  dict.insert("a\xED\xA0\x80", tensor());
  dict.insert("a\xED\xBF\xBF", tensor());
  dict.insert("\xED\x9F\xBF", tensor());  // U+D7FF is a character.
  dict.insert("named", tensor("n\xED\xA0\x80"));
  const Written written = ss::schema::write(dict);
  CHECK(names_of(written) == std::vector<std::string>{"a\xEF\xBF\xBD", "a\xEF\xBF\xBD#2",
                                                      "\xED\x9F\xBF", "n\xEF\xBF\xBD"});
  CHECK(read_again(written) == dict);
}

TEST_CASE("a mark as plain means nothing where only a node can stand") {
  Value dict = Value::dict();
  dict.insert("a", Value(1).plain());
  dict.insert("b", Value::list({Value("x").plain()}).plain());
  const Value root = std::move(dict).plain();
  const Written written = ss::schema::write(root);
  CHECK(written.text.starts_with(
      R"({"data_type": "dict", "value": {"a": {"data_type": "int", "value": "1"}, "b": {"data_)"));
  CHECK(read_again(written) == root);
}

TEST_CASE("a type name that stands for another kind is refused: it could not be loaded") {
  CHECK(write_error(Value::list({Value::custom("list", Value(1))})) ==
        "invalid_argument: at /0: a value has the type name of another kind: expected a name that "
        "does not stand for "
        "list, found 'list' of a custom.");
  Value set = Value::set();
  set.set_type_name("builtins.dict");
  CHECK(write_error(set) ==
        "invalid_argument: at /: a value has the type name of another kind: expected a name that "
        "does not stand for "
        "dict, found 'builtins.dict' of a set.");
  set.set_type_name("frozenset");
  CHECK(write_error(set) == "no error");
}

TEST_CASE("values that cannot be written are refused with their place") {
  CHECK(write_error(Value::list({1, "a\xff"})) ==
        "invalid_utf8: at /1: a string is not UTF-8: found a malformed sequence at byte 1 of the "
        "string. Store binary data as bytes, for example std::vector<std::byte>.");
  CHECK(
      write_error(Value::dict({{"k", Value::integer(std::string(4301, '9'))}})) ==
      "limit_exceeded: at /k: an int has too many digits: expected at most 4300 (Limits::digits), "
      "found 4301.");
  CHECK(write_error(Value::integer("-" + std::string(4300, '9'))) == "no error");
  CHECK(write_error(Value::list({1, 2, 3}), {.limits = {.nodes = 3}}) ==
        "limit_exceeded: at /2: a structure has too many nodes: expected at most 3 "
        "(Limits::nodes).");
  CHECK(write_error(Value::list({tensor(), tensor()}), {.limits = {.tensors = 1}}) ==
        "limit_exceeded: at /1: there are too many tensors: expected at most 1 "
        "(Limits::tensors).");
  Value deep;
  Value chain;
  for (int i = 0; i < 100'000; ++i) {
    std::vector<Value> items;
    items.push_back(std::move(deep));
    deep = Value::list(std::move(items));
    chain = Value::custom("a.B", std::move(chain));
  }
  const std::string too_deep =
      "a structure is nested too deeply: expected at most 500 levels (Limits::depth).";
  CHECK(write_error(deep).ends_with(too_deep));
  CHECK(write_error(chain).ends_with(too_deep));
}
