/// \file
/// Copying, comparing, hashing and destroying values takes time in proportion to their size, and
/// no stack, whatever their shape: files choose it.
#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/value.hpp>
#include <safestructures/formats/safestructures/schema.hpp>

#include "data/dict.hpp"
#include "malformed/attacks.hpp"
#include "support/cost.hpp"
#include "support/stack.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::check_ratio;
using ss::test::with_stack;

namespace {

Value frozenset(std::vector<Value> items) {
  Value set = Value::set(std::move(items));
  set.set_type_name("frozenset");
  return set;
}

Value only(Value item) {
  std::vector<Value> items;
  items.push_back(std::move(item));
  return frozenset(std::move(items));
}

/// `depth` values, each the only one in the one around it.
Value chain(const std::function<Value(Value)>& around, int depth, Value inmost) {
  for (int i = 0; i < depth; ++i) inmost = around(std::move(inmost));
  return inmost;
}

Value in_a_key(Value value) {
  Value key = Value::custom("T", std::move(value));
  Value dict = Value::dict();
  dict.insert(std::move(key), 1);
  return dict;
}

Value numbers(int count) {
  std::vector<Value> items;
  for (int i = 0; i < count; ++i) items.emplace_back(i);
  return frozenset(std::move(items));
}

std::string schema_of_sets(std::size_t depth, const std::string& inmost) {
  // What stands alone in a set is not hashed: a second one of its kind stands beside it.
  return attacks::repeated(R"({"data_type":"frozenset","value":[)", depth) + inmost +
         attacks::repeated(R"(,{"data_type":"frozenset","value":[]}]})", depth);
}

/// Each key is of a type that nobody knows and holds a dict, `count` keys in each.
std::string schema_of_keys(std::size_t depth, std::size_t count, const std::string& inmost) {
  std::string head = R"({"data_type":"dict","value":{)";
  std::string keys = R"("0":)";
  std::string tail;
  for (std::size_t i = 0; i < count; ++i) {
    head += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"data_type":"int","value":"1"})";
    if (i == 0) continue;
    tail +=
        ",\"" + std::to_string(i) + R"(":{"data_type":"int","value":")" + std::to_string(i) + "\"}";
  }
  head += R"(},"keys":{)" + keys + R"({"data_type":"dataclass","value":{"x":)";
  tail = "}}" + tail + "}}";
  return attacks::repeated(head, depth) + inmost + attacks::repeated(tail, depth);
}

}  // namespace

TEST_CASE("equal sets in sets are compared once, not twice at each level") {
  const auto compare = [](int depth) {
    const Value a = chain(only, depth, 1);
    const Value b = chain(only, depth, 1);
    return [a, b] {
      for (int i = 0; i < 50; ++i) CHECK(a == b);
    };
  };
  check_ratio("frozensets", compare(10), compare(20), 24);
  const auto keys = [](int depth) {
    const Value a = chain(in_a_key, depth, only(only(1)));
    const Value b = chain(in_a_key, depth, only(only(1)));
    return [a, b] {
      for (int i = 0; i < 50; ++i) CHECK(a == b);
    };
  };
  check_ratio("keys", keys(10), keys(20), 24);
}

TEST_CASE("sets are compared in time in proportion to them, however they nest") {
  const auto wide = [](int depth, int count) {
    const auto around = [](Value value) {
      return frozenset({numbers(3), Value::tuple({1, std::move(value)})});
    };
    const Value a = chain(around, depth, numbers(count));
    const Value b = chain(around, depth, numbers(count));
    return [a, b] { CHECK(a == b); };
  };
  check_ratio("more below", wide(100, 1000), wide(100, 8000), 24);
  check_ratio("deeper", wide(4, 20'000), wide(400, 20'000), 24);
}

TEST_CASE("what is read is hashed once, however deep in sets or keys") {
  // Hashing it takes longer than 400 sets do, with sanitizers too.
  const std::vector<std::byte> bytes(1 << 25U);
  const auto read = [&](const std::string& schema) {
    return [&bytes, schema] {
      const auto lookup = [&](std::string_view) {
        return std::optional(ss::Tensor::borrow(ss::DType::U8, {bytes.size()}, bytes));
      };
      CHECK(ss::schema::read(schema, lookup).size() > 0);
    };
  };
  std::string many = R"({"data_type":"tuple","value":[)";
  for (int i = 0; i < 20'000; ++i)
    many += (i == 0 ? "" : ",") + attacks::text_node(static_cast<std::size_t>(i));
  many += "]}";
  const std::string tensor = attacks::node("torch.Tensor", "\"t\"");
  check_ratio("sets", read(schema_of_sets(4, many)), read(schema_of_sets(400, many)), 24);
  check_ratio("sets, a tensor", read(schema_of_sets(4, tensor)), read(schema_of_sets(400, tensor)),
              24);
  for (const std::size_t keys : {1U, 2U, 12U}) {
    CAPTURE(keys);
    check_ratio("keys", read(schema_of_keys(2, keys, many)), read(schema_of_keys(100, keys, many)),
                24);
  }
}

TEST_CASE("empty tensors in a set are told apart by their shapes") {
  const auto repeated = [](std::size_t count) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < count; ++i)
      items.emplace_back(ss::Tensor::allocate(ss::DType::F32, {0, i}));
    return [items] { CHECK(ss::detail::find_repeated(items) == ss::detail::Dict::npos); };
  };
  check_ratio("shapes", repeated(5000), repeated(40'000), 24);
}

TEST_CASE("tensors of one shape in a set are told apart by their bytes") {
  const auto repeated = [](std::size_t count) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < count; ++i)
      items.emplace_back(ss::Tensor::own<std::uint64_t>({i}, {1}));
    return [items] { CHECK(ss::detail::find_repeated(items) == ss::detail::Dict::npos); };
  };
  // Of 1,000 a processor remembers how they were sorted the last time.
  check_ratio("bytes", repeated(5000), repeated(40'000), 24);
}

TEST_CASE("any depth is copied, compared, hashed and destroyed with little stack") {
  with_stack(128, [] {
    for (const auto& around :
         {std::function<Value(Value)>(only), std::function<Value(Value)>(in_a_key),
          std::function<Value(Value)>([](Value value) {
            Value tuple = Value::tuple();
            tuple.push_back(Value::custom("T", std::move(value)));
            tuple.set_attribute("x", 1);
            return tuple;
          })}) {
      const Value deep = chain(around, 100'000, 1);
      const Value same = deep;
      CHECK(deep == same);
      CHECK_FALSE(deep == chain(around, 100'000, 2));
      Value attribute = Value::list();
      attribute.set_attribute("deep", deep);
      CHECK(attribute == Value::list());
      Value dict = Value::dict();
      dict.insert(Value::custom("T", deep), "found");
      REQUIRE(dict.find_key(Value::custom("T", same)) != nullptr);
      CHECK(dict.find_key(Value::custom("U", same)) == nullptr);
      Value copy = dict;
      CHECK(copy.find_key(Value::custom("T", same)) != nullptr);
      CHECK(copy == dict);
    }
  });
}

TEST_CASE("a value that is changed after hashing is found by its new content") {
  const auto found = [](const Value& dict, const Value& key) {
    return dict.find_key(key) != nullptr;
  };
  // Each change reaches what lies inside in another way; keys that were taken out were hashed.
  const std::vector<std::pair<Value, std::function<void(Value&)>>> changes = {
      {Value::tuple({only(1)}), [](Value& key) { key.items()[0].items()[0] = 2; }},
      {Value::tuple({only(1)}), [](Value& key) { key[0].push_back(2); }},
      {Value::custom("T", only(1)), [](Value& key) { key.payload().items().clear(); }},
      {Value::custom("T", only(1)), [](Value& key) { key.set_type_name("U"); }},
      {Value::custom("T", only(1)), [](Value& key) { key.at("/0") = 2; }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { key.at("/x/0") = 2; }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { key["x"] = 2; }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { *key.find("x") = 2; }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { *key.find_key("x") = 2; }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { key.entry_value(0) = 2; }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { key.insert("y", 2); }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { key.erase("x"); }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { key.insert_or_assign("x", 2); }},
      {Value::structure("S", {{"x", only(1)}}), [](Value& key) { key.set_type_name("T"); }},
      {Value::bytes(std::as_bytes(std::span("a"))),
       [](Value& key) { key.set_tensor(ss::Tensor::own(std::vector<std::uint8_t>{7})); }},
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    const auto& [key, change] = changes[i];
    Value dict = Value::dict();
    dict.insert(key, 1);
    std::vector<ss::Entry> taken = std::move(dict).entries();
    Value changed = key;
    change(changed);
    REQUIRE_FALSE(changed == key);
    change(taken[0].key);
    dict = Value::dict();
    dict.insert(std::move(taken[0].key), 1);
    CHECK(found(dict, changed));
    CHECK_FALSE(found(dict, key));
  }
}

TEST_CASE("a copy of a dict, and one that owns its bytes, find every key") {
  const std::array<std::uint8_t, 3> bytes = {1, 2, 3};
  for (const int count : {2, 30}) {
    Value dict = Value::dict();
    for (int i = 0; i < count; ++i)
      dict.insert(Value::tuple({i, Value::bytes(ss::Tensor::of<std::uint8_t>(bytes))}), i);
    Value copy = dict;
    copy.own();
    copy.insert("one more", 0);
    for (int i = 0; i < count; ++i) {
      const Value* found =
          copy.find_key(Value::tuple({i, Value::bytes(ss::Tensor::of<std::uint8_t>(bytes))}));
      REQUIRE(found != nullptr);
      CHECK(*found == Value(i));
    }
    CHECK(copy.erase(Value::tuple({0, Value::bytes(ss::Tensor::of<std::uint8_t>(bytes))})));
    CHECK(copy.size() == dict.size());
  }
}
