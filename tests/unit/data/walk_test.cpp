// The contract of data/walk.hpp: every node once, in order, with its path.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <safestructures/data/walk.hpp>

namespace ss = safestructures;
using ss::Next;
using ss::Place;
using ss::Value;

namespace {

Value tensor() { return Value(ss::Tensor()); }

Value with_attribute(Value value, const char* name, Value attribute) {
  value.set_attribute(name, std::move(attribute));
  return value;
}

std::vector<std::string> paths_of(const Value& root) {
  std::vector<std::string> paths;
  ss::walk(root, [&](const Place& place) {
    paths.push_back(place.path().to_string() + " " + std::string(to_string(place.value().kind())));
    return Next::into;
  });
  return paths;
}

}  // namespace

TEST_CASE("a walk visits every node before its children, in order, with its path") {
  const Value root = Value::dict(
      {{"layers", Value::list({Value::structure("Layer", {{"a/b", tensor()}, {"c", 1}})})},
       {Value::tuple({1, 2}), "two"},
       {7, Value::custom("acme.Q", Value::list({tensor()}))},
       {"marked", with_attribute(Value::set({3}), "why", Value::list({tensor()}))}});
  CHECK(paths_of(root) == std::vector<std::string>{
                              "/ dict", "/layers list", "/layers/0 struct", "/layers/0/a~1b tensor",
                              "/layers/0/c int", "/(1, 2) tuple", "/(1, 2)/0 int", "/(1, 2)/1 int",
                              "/(1, 2) str", "/7 custom", "/7 list", "/7/0 tensor", "/marked set",
                              "/marked/0 int", "/marked/why list", "/marked/why/0 tensor"});
}

TEST_CASE("a visitor may skip nodes and may stop the walk") {
  const Value root = Value::list({Value::list({1}), Value::list({2}), 3});
  std::vector<std::string> seen;
  ss::walk(root, [&](const Place& place) {
    seen.push_back(place.path().to_string());
    if (place.depth() == 1) return Next::over;
    return Next::into;
  });
  CHECK(seen == std::vector<std::string>{"/", "/0", "/1", "/2"});
  seen.clear();
  ss::walk(root, [&](const Place& place) {
    seen.push_back(place.path().to_string());
    return seen.size() == 3 ? Next::stop : Next::into;
  });
  CHECK(seen == std::vector<std::string>{"/", "/0", "/0/0"});
  int visits = 0;
  ss::walk(root, [&](const Place&) {
    ++visits;
    return Next::over;
  });
  CHECK(visits == 1);
}

TEST_CASE("a walk may change values, attributes among them, and never sees keys") {
  Value root = Value::dict({{Value::tuple({1}), with_attribute(tensor(), "a", tensor())}});
  int changed = 0;
  ss::walk(root, [&](Value& value, const Place& place) {
    CHECK(place.value().kind() != ss::Kind::tuple);
    if (value.kind() == ss::Kind::tensor) value.set_tensor_name("t" + std::to_string(changed++));
    return Next::into;
  });
  CHECK(changed == 2);
  const Value& entry = root.entries()[0].value;
  CHECK(entry.tensor_name() == "t0");
  CHECK(entry.attribute("a")->tensor_name() == "t1");
}

TEST_CASE("a walk needs no stack, however deep the tree") {
  Value root = 0;
  constexpr std::size_t depth = 200'000;
  for (std::size_t i = 0; i < depth; ++i) {
    std::vector<Value> items;
    items.push_back(std::move(root));
    root = Value::list(std::move(items));
  }
  std::size_t deepest = 0;
  ss::walk(static_cast<const Value&>(root), [&](const Place& place) {
    deepest = place.depth();
    return Next::into;
  });
  CHECK(deepest == depth);
}

TEST_CASE("dotted paths name tensors") {
  CHECK(ss::Path::parse("/layers/0/weight").dotted() == "layers.0.weight");
  CHECK(ss::Path().dotted().empty());
}

TEST_CASE("what a visitor changes, within keys of before too, is found by what it has become") {
  const auto part = [](int number) { return Value::custom("a.B", Value::tuple({number})); };
  // An inserted key leaves its digest in itself and in what it holds, and so do its copies.
  Value dict = Value::dict({{part(1), 0}});
  Value changed = dict.entries()[0].key;
  ss::walk(changed, [](Value& value, const Place&) {
    if (value.kind() == ss::Kind::integer) value = 2;
    return Next::into;
  });
  REQUIRE(changed == part(2));
  CHECK(dict.find_key(changed) == nullptr);
  dict.insert(changed, 1);
  REQUIRE(dict.find_key(part(2)) != nullptr);
  CHECK(*dict.find_key(part(2)) == Value(1));
}
