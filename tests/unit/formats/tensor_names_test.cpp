/// \file
/// Names of tensors in the file: no structure is changed or refused for what its tensors would be
/// called, and plain files become structures by their names.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Tensor;
using ss::Value;
using ss::test::error_of;

namespace {

Tensor tensor(float element = 1) {
  Tensor result = Tensor::allocate(ss::DType::F32, {1});
  std::memcpy(result.mutable_bytes().data(), &element, sizeof element);
  return result;
}

/// What stands for no tensor in a file without one, but for its name.
Tensor zero() {
  Tensor result = Tensor::allocate(ss::DType::I64, {1});
  std::memset(result.mutable_bytes().data(), 0, 8);
  return result;
}

/// A custom value that holds nothing but a text, as plugins of Python write it.
Value text_of(const std::string& text) { return Value::custom("acme.Text", Value(text).plain()); }

Value dict(std::vector<std::pair<std::string, Value>> entries) {
  Value result = Value::dict();
  for (auto& [key, value] : entries) result.insert(key, std::move(value));
  return result;
}

Value again(const Value& value, const ss::SaveOptions& options = {}) {
  return ss::load(ss::save(value, options));
}

const ss::SaveOptions by_paths{.tensor_names = ss::TensorNames::paths};

}  // namespace

TEST_CASE("a custom value's text stays a text, whatever tensors are called") {
  for (const Value& value : {
           text_of("null"),
           Value::list({text_of("null"), text_of("0")}),
           dict({{"a", tensor()}, {"b", text_of("a")}}),
           dict({{"b", text_of("a")}, {"a", tensor()}}),
           dict({{"a", tensor()}, {"b", text_of("a#2")}, {"c", text_of("a")}}),
           Value::list({tensor(), tensor(2), text_of("0"), text_of("1"), text_of("1#2")}),
           Value::list({text_of("tensor"), Value::custom("acme.Box", tensor())}),
           dict({{"null", Value::custom("acme.Box", Value(zero()).plain())}}),
       }) {
    for (const ss::TensorNames names : {ss::TensorNames::paths, ss::TensorNames::numbers}) {
      const Value loaded = again(value, {.tensor_names = names});
      CHECK(loaded == value);
      CHECK(ss::save(loaded) == ss::save(again(loaded)));
    }
  }
}

TEST_CASE("a tensor that is really called null is no stand-in") {
  for (const Tensor& real : {tensor(0), zero()}) {
    const Value loaded = again(dict({{"null", real}}), by_paths);
    CHECK(loaded == dict({{"null", real}}));
  }
}

TEST_CASE("keys that no name may have do not stop a save") {
  for (const char* key : {"__metadata__", "\xED\xA0\x80", "a.b", "", ".", "a\xED\xB0\x80z"}) {
    CAPTURE(key);
    const Value value = dict({{key, tensor()}, {"other", tensor(2)}});
    CHECK(again(value, by_paths) == value);
    CHECK(again(dict({{"x", value}}), by_paths) == dict({{"x", value}}));
  }
}

TEST_CASE("a text that is the name of a tensor outside the structure is refused") {
  const ss::SaveOptions options{.extra_tensors = {{"a", tensor()}}};
  CHECK(error_of([&] { return ss::save(Value::list({text_of("a")}), options); }) ==
        "duplicate_name: at /0: the text of a custom value is the name of a tensor outside the "
        "structure: found 'a' in SaveOptions::extra_tensors. Give the tensor another name.");
  CHECK(again(Value::list({text_of("b")}), options) == Value::list({text_of("b")}));
}

TEST_CASE("a tensor whose name is taken gets none that a tensor outside the structure has") {
  const Value value = dict({{"a", dict({{"b", tensor()}})}, {"a.b", tensor(2)}});
  for (const auto& format :
       {ss::formats::safestructures(), ss::formats::json(), ss::formats::messagepack()}) {
    CAPTURE(format->name());
    const auto bytes = ss::save(value, {.format = format,
                                        .tensor_names = ss::TensorNames::paths,
                                        .extra_tensors = {{"a.b#2", tensor(3)}}});
    const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
    CHECK(document.root() == value);
    CHECK(document.root()["a"]["b"].tensor_name() == "a.b");
    CHECK(document.root()["a.b"].tensor_name() == "a.b#3");
    REQUIRE(document.content().extra_tensors.size() == 1);
    CHECK(document.content().extra_tensors[0].first == "a.b#2");
    CHECK(Value(document.content().extra_tensors[0].second) == Value(tensor(3)));
  }
}

TEST_CASE("names of a plain file with nothing between their dots stay whole") {
  const auto load = [](const std::vector<std::string>& names) {
    Value all = Value::dict();
    for (const std::string& name : names) {
      Value value(tensor());
      value.set_tensor_name(name);
      all.insert(name, std::move(value));
    }
    return ss::load(ss::save(all, {.schema = false}));
  };
  const auto keys = [](const Value& value) {
    std::vector<std::string> result;
    for (const ss::Entry& entry : value.entries()) result.push_back(entry.key.as_string());
    return result;
  };
  const std::vector<std::string> odd = {".", "..", ".a", "a..b", "a.", std::string(499, '.')};
  for (const std::string& name : odd) {
    CAPTURE(name);
    CHECK(keys(load({name})) == std::vector{name});
  }
  const Value mixed = load({"a", "a.", "a.b", "a.b.", "c.d"});
  CHECK(mixed.at("a").kind() == ss::Kind::tensor);
  CHECK(mixed.at("a.").kind() == ss::Kind::tensor);
  CHECK(mixed.at("a.b").kind() == ss::Kind::tensor);
  CHECK(mixed.at("a.b.").kind() == ss::Kind::tensor);
  CHECK(mixed.at("c").at("d").kind() == ss::Kind::tensor);
}
