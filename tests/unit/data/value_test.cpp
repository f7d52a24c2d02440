/// \file
/// A Value is a tree of Python's kinds that is safe to copy, move, change and destroy at any size.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/value.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Kind;
using ss::Value;
using ss::test::error_of;
using ss::test::error_of_void;

namespace {

const std::array<float, 3> numbers = {1, 2, 3};

ss::Tensor borrowed() { return ss::Tensor::of(std::span<const float>(numbers)); }

Value dict_of(int count) {
  Value dict = Value::dict();
  for (int i = 0; i < count; ++i) dict.insert("k" + std::to_string(i), i);
  return dict;
}

/// One value of every kind.
std::vector<Value> every_kind() {
  return {Value(),
          Value(true),
          Value(-7),
          Value::integer("123456789012345678901234567890"),
          Value(2.5),
          Value(std::complex<double>(1, -2)),
          Value("text that is too long for the small buffer of a string"),
          Value::bytes(std::as_bytes(std::span(numbers))),
          Value::list({1, "two"}),
          Value::tuple({1, 2}),
          Value::set({3}),
          Value::dict({{"a", 1}, {2, "b"}}),
          Value::structure("acme::Pose", {{"x", 1.5}}),
          Value(borrowed()),
          Value::custom("acme.Pose", Value::list({1}).plain())};
}

Value nested_lists(int depth) {
  Value value;
  for (int i = 0; i < depth; ++i) {
    std::vector<Value> items;
    items.push_back(std::move(value));
    value = Value::list(std::move(items));
  }
  return value;
}

}  // namespace

TEST_CASE("a value is made from what C++ has without a wrong guess") {
  CHECK(Value().is_none());
  CHECK(Value(nullptr).is_none());
  CHECK(Value(true).as_bool());
  CHECK(Value(short{-3}).as_int64() == -3);
  CHECK(Value(std::uint8_t{200}).as_int64() == 200);
  CHECK(Value(1.5F).as_double() == 1.5);
  CHECK(Value("text").as_string() == "text");
  CHECK(Value(std::string_view("a\0b", 3)).as_string().size() == 3);
  CHECK(Value(std::complex<double>(1, 2)).as_complex() == std::complex<double>(1, 2));
  CHECK(Value(borrowed()).tensor().origin() == borrowed().origin());
  static_assert(!std::is_constructible_v<Value, int*>, "no pointer is a bool");
  static_assert(!std::is_constructible_v<Value, char>, "a char is neither a number nor a text");
  static_assert(!std::is_constructible_v<Value, long double>);
  static_assert(std::is_nothrow_move_constructible_v<Value> &&
                std::is_nothrow_move_assignable_v<Value>);
}

TEST_CASE("integers of any size keep every digit") {
  CHECK(Value(std::numeric_limits<std::uint64_t>::max()).as_uint64() ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK_FALSE(Value(std::numeric_limits<std::uint64_t>::max()).as_int64());
  CHECK(Value(std::numeric_limits<std::uint64_t>::max()).integer_text() == "18446744073709551615");
  CHECK(Value(std::numeric_limits<std::int64_t>::min()).integer_text() == "-9223372036854775808");
  CHECK_FALSE(Value(-1).as_uint64());
  CHECK(Value::integer("-9223372036854775808").as_int64() ==
        std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(Value::integer("18446744073709551616").as_uint64());
  CHECK_FALSE(Value::integer("-18446744073709551615").as_uint64());
  const std::string digits(4300, '9');
  CHECK(Value::integer(digits).integer_text() == digits);
  CHECK(Value::integer("-" + digits) == Value::integer("-" + digits));
  CHECK_FALSE(Value::integer("-" + digits) == Value::integer(digits));
  for (const char* text : {"", "-", "+1", "01", "-0", "1 ", "1_0", "0x1", "1.0", "\xd9\xa1"}) {
    CAPTURE(text);
    CHECK(error_of([&] { return Value::integer(text); }) ==
          "invalid_argument: a text is not an integer: expected decimal digits without leading "
          "zeros, "
          "found '" +
              std::string(text) + "'.");
  }
}

TEST_CASE("a value of every kind is copied, moved and assigned to every other") {
  const std::vector<Value> values = every_kind();
  for (const Value& from : values) {
    for (const Value& to : values) {
      Value copy = to;
      CHECK(copy == to);
      copy = from;
      CHECK(copy == from);
      Value moved = std::move(copy);
      CHECK(moved == from);
      Value target = to;
      target = std::move(moved);
      CHECK(target == from);
      moved = to;  // A moved-from value can be used again.
      CHECK(moved == to);
    }
    Value self = from;
    Value& alias = self;
    self = alias;
    CHECK(self == from);
    self = std::move(alias);
    CHECK(self == from);
  }
}

TEST_CASE("a value that has a tensor gives it, every other refuses") {
  for (const Value& value : every_kind()) {
    CAPTURE(ss::to_string(value.kind()));
    const std::string error = error_of([&] { static_cast<void>(value.tensor()); });
    CHECK((error == "no error") == value.has_tensor());
  }
}

TEST_CASE("a value can be assigned a part of itself") {
  Value list = Value::list({Value::list({"inner text, long enough to be on the heap"}), 2});
  list = std::move(list.items()[0]);
  CHECK(list == Value::list({"inner text, long enough to be on the heap"}));
  list = list[0];
  CHECK(list == Value("inner text, long enough to be on the heap"));
  Value dict = Value::dict({{"a", Value::dict({{"b", 1}})}});
  dict = dict["a"];
  CHECK(dict == Value::dict({{"b", 1}}));
}

TEST_CASE("copying shares the bytes of tensors and nothing else") {
  Value list = Value::list({borrowed(), 1});
  Value copy = list;
  CHECK(static_cast<const void*>(copy[0].tensor().origin()) == numbers.data());
  copy.items()[1] = 5;
  CHECK(list[1] == Value(1));
}

TEST_CASE("any depth is copied, compared and destroyed without stack") {
  {
    Value deep = nested_lists(1'000'000);
    const Value same = deep;
    CHECK(deep == same);
    deep = 1;
  }
  Value chain;
  for (int i = 0; i < 200'000; ++i) {
    Value custom = Value::custom("a.B", std::move(chain));
    Value dict = Value::dict();
    dict.insert("k", std::move(custom));
    chain = Value::tuple({});
    chain.push_back(std::move(dict));
    chain.set_attribute("x", 1);
  }
  CHECK(chain.size() == 1);
  CHECK(Value(nested_lists(1000)) == nested_lists(1000));
}

TEST_CASE("asking for the wrong type reports the actual value") {
  const Value text("abc");
  CHECK(error_of([&] { return text.as_bool(); }) ==
        "type_mismatch: a value has the wrong type: expected a bool, found str \"abc\".");
  CHECK(error_of([&] { return Value(1).as_double(); }) ==
        "type_mismatch: a value has the wrong type: expected a float, found int 1.");
  CHECK(error_of([&] { return Value(1.5).as_int64(); }) ==
        "type_mismatch: a value has the wrong type: expected an int, found float 1.5.");
  CHECK(error_of([&] { return text.items(); }) ==
        "type_mismatch: a value has the wrong type: expected a list, tuple or set, found str "
        "\"abc\".");
  CHECK(error_of([&] { return Value::list().entries(); }) ==
        "type_mismatch: a value has the wrong type: expected a dict or struct, found list of 0.");
  CHECK(error_of([&] { return text.tensor(); }) ==
        "type_mismatch: a value has the wrong type: expected a tensor, found str \"abc\".");
  CHECK(error_of([&] { return text.payload(); }) ==
        "type_mismatch: a value has the wrong type: expected a custom value, found str \"abc\".");
  CHECK(error_of([&] { return Value().size(); }) ==
        "type_mismatch: a value has the wrong type: expected a container, found None.");
}

TEST_CASE("a missing entry or item says what there is") {
  const Value dict = dict_of(12);
  CHECK(error_of([&] { return dict["x"]; }) ==
        "not_found: there is no 'x': found k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 2 more.");
  CHECK(error_of([&] { return Value::dict()["x"]; }) ==
        "not_found: there is no 'x': found nothing.");
  const Value list = Value::list({1, 2});
  CHECK(list[1] == Value(2));
  CHECK(list[0] == Value(1));
  CHECK(error_of([&] { return list[2]; }) ==
        "not_found: there is no item 2: expected an index below 2.");
  CHECK(error_of([&] { return list[-1]; }) == "not_found: an index is negative: found -1.");
}

TEST_CASE("a path leads to a value, or says how far it led") {
  const Value root = Value::dict(
      {{"layers", Value::list({Value::structure("L", {{"a/b", 1}}), Value::tuple({5})})},
       {2, "int key"},
       {"2", "string key"},
       {true, "yes"},
       {"pose", Value::custom("acme.Pose", Value::dict({{"x", 3}}).plain())}});
  CHECK(root.at("").kind() == Kind::dict);
  CHECK(root.at("/layers/0/a~1b") == Value(1));
  CHECK(root.at("layers/1/0") == Value(5));
  CHECK(root.at("/2") == Value("string key"));
  CHECK(root.at("/True") == Value("yes"));
  CHECK(root.at("/pose/x") == Value(3));
  CHECK(error_of([&] { return root.at("/layers/2"); }) ==
        "not_found: at /layers: there is no '2': found list of 2.");
  CHECK(error_of([&] { return root.at("/layers/00"); }) ==
        "not_found: at /layers: there is no '00': found list of 2.");
  CHECK(error_of([&] { return root.at("/layers/-1"); }).find("there is no '-1'") !=
        std::string::npos);
  CHECK(error_of([&] { return root.at("/layers/0/c"); }) ==
        "not_found: at /layers/0: there is no 'c': found struct L: a/b.");
  CHECK(error_of([&] { return root.at("/layers/0/a~1b/x"); }) ==
        "not_found: at /layers/0/a~1b: there is no 'x': found int 1.");
}

TEST_CASE("attributes are there on containers and tensors, and cannot take the schema's names") {
  Value list = Value::list();
  list.set_attribute("version", 1);
  list.set_attribute("tag", "x");
  list.set_attribute("version", 2);
  CHECK(list.attributes().size() == 2);
  CHECK(*list.attribute("version") == Value(2));
  CHECK(list.erase_attribute("version"));
  CHECK_FALSE(list.erase_attribute("version"));
  CHECK(list.attribute("version") == nullptr);
  const Value copy = list;
  CHECK(*copy.attribute("tag") == Value("x"));
  for (const char* name : {"data_type", "value", "keys"})
    CHECK(error_of_void([&] { list.set_attribute(name, 1); }) ==
          "invalid_argument: an attribute cannot have a name that the schema reserves: found '" +
              std::string(name) + "'.");
  Value custom = Value::custom("collections.OrderedDict", Value::dict().plain());
  custom.set_attribute("keys", Value::dict());
  CHECK(custom.attribute("keys") != nullptr);
  Value structure = Value::structure("A");
  CHECK(error_of_void([&] { structure.set_attribute("class", "B"); }).starts_with("invalid_arg"));
  Value text("abc");
  CHECK(error_of_void([&] { text.set_attribute("x", 1); }) ==
        "type_mismatch: a value has the wrong type: expected a container or tensor, found str "
        "\"abc\".");
  Value number = Value::integer(std::string(30, '9'));
  CHECK(error_of_void([&] { number.set_type_name("x"); }).starts_with("type_mismatch"));
}

TEST_CASE("bytes are a contiguous U8 tensor of rank 1") {
  const Value bytes = Value::bytes(std::as_bytes(std::span(numbers)));
  CHECK(bytes.tensor().size() == sizeof numbers);
  CHECK(bytes.tensor().is_owned());
  CHECK(
      error_of([&] { return Value::bytes(borrowed()); }) ==
      "invalid_argument: a tensor cannot stand for bytes: expected a contiguous U8 tensor of rank "
      "1, found F32 [3].");
  Value changed = bytes;
  CHECK(error_of_void([&] { changed.set_tensor(borrowed()); }).starts_with("invalid_argument"));
  changed.set_tensor(ss::Tensor::allocate(ss::DType::U8, {2}));
  CHECK(changed.kind() == Kind::bytes);
  CHECK(changed.tensor().size() == 2);
}

TEST_CASE("owning copies what is borrowed everywhere in a tree, once for each tensor") {
  std::vector<float> memory = {1, 2, 3};
  const auto view = [&](std::string name) {
    Value value(ss::Tensor::of(std::span<const float>(memory)));
    value.set_tensor_name(std::move(name));
    return value;
  };
  const auto key_bytes = ss::Tensor::borrow(ss::DType::U8, {12}, std::as_bytes(std::span(memory)));
  Value root =
      Value::list({view("w"), Value::tuple({view("w")}), view(""), Value::custom("a.B", view("x")),
                   Value::dict({{Value::tuple({Value::bytes(key_bytes)}), 1}})});
  Value other(ss::Tensor::of(std::span<const float>(memory).subspan(1)));
  other.set_tensor_name("w");
  root.push_back(other);
  root.set_attribute("mask", view("m"));
  root.own();
  const std::vector<float> expected = memory;
  memory.assign({9, 9, 9});
  CHECK(root[0].tensor().to_vector<float>() == expected);
  CHECK(root[1][0].tensor().origin() == root[0].tensor().origin());
  CHECK(root[2].tensor().to_vector<float>() == expected);
  CHECK(root[3].payload().tensor().to_vector<float>() == expected);
  CHECK(root[5].tensor().to_vector<float>() == std::vector<float>{2, 3});
  CHECK(root.attribute("mask")->tensor().is_owned());
  const Value& key = root[4].entries()[0].key;
  CHECK(key[0].tensor().is_owned());
  CHECK(root[4].find_key(key) != nullptr);
}

TEST_CASE("a value that is taken apart is left valid") {
  Value list = Value::list({"a", "b"});
  CHECK(std::move(list).items().size() == 2);
  CHECK(list.size() == 0);
  Value custom = Value::custom("a.B", Value::list({1}));
  CHECK(std::move(custom).payload() == Value::list({1}));
  CHECK(custom.payload().is_none());
  Value tensor{borrowed()};
  CHECK(std::move(tensor).tensor().size() == 3);
  CHECK(tensor.kind() == Kind::tensor);
  CHECK(Value::dict({{"a", "text"}})["a"] == Value("text"));
  CHECK(Value::list({"x"})[0] == Value("x"));
  CHECK(Value::dict({{"a", Value::list({7})}}).at("/a/0") == Value(7));
}

TEST_CASE("a name that is nearly there is suggested, and a new one is told how to insert") {
  Value root = Value::structure("", {{"weight", 1}, {"layers", Value::list({})}});
  CHECK(error_of([&] { return root.at("/wieght"); }) ==
        "not_found: at /: there is no 'wieght': found struct: weight, layers. Perhaps 'weight' "
        "is meant.");
  CHECK(error_of([&] { return std::as_const(root)["layer"]; }) ==
        "not_found: there is no 'layer': found weight, layers. Perhaps 'layers' is meant.");
  CHECK(error_of([&] { return root["new"] = 1; }) ==
        "not_found: there is no 'new': found weight, layers. insert_or_assign adds an entry.");
  CHECK(error_of([&] { return root["wieght"] = 1; }) ==
        "not_found: there is no 'wieght': found weight, layers. Perhaps 'weight' is meant; "
        "insert_or_assign adds an entry.");
  root.insert_or_assign("new", 1);
  CHECK(root["new"] == Value(1));
}
