/// \file
/// Optional values and smart pointers; objects that are shared stay shared where they hold tensors.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support/codec.hpp"
#include "support/cost.hpp"

namespace ss = safestructures;
using codec_test::error_of;
using codec_test::round_trip;
using codec_test::to_value;
using ss::Kind;
using ss::Value;

namespace {
struct Layer {
  std::string name;
  std::vector<float> weight;
};
struct Node {
  int id = 0;
  std::shared_ptr<Node> next;
};
struct Linked {
  std::vector<float> weight;
  std::shared_ptr<Linked> next;
  std::vector<std::string> notes;
};
struct Child {
  std::weak_ptr<Node> parent;
  int id = 0;
};
struct Tree {
  int id = 0;
  std::vector<std::unique_ptr<Tree>> children;
};
struct First {
  int number = 1;
};
struct Second {
  int number = 2;
};
struct Both : First, Second {};
/// Saved as shared objects of those sizes, which nobody else has.
struct Maker {
  std::vector<std::size_t> sizes;
};
}  // namespace

template <>
struct ss::Codec<Maker> {
  static Value encode(const Maker& maker, Encoder& encoder) {
    Value list = Value::list();
    for (const std::size_t size : maker.sizes) {
      auto made = std::make_shared<std::vector<float>>(size, static_cast<float>(list.size()));
      list.push_back(encoder.encode_at(list.size(), made));
    }
    return list;
  }
};

TEST_CASE("an optional is None or its value") {
  CHECK(Value::from(std::optional<int>()).is_none());
  CHECK(Value::from(std::optional<int>(5)) == Value(5));
  CHECK(round_trip(std::optional<std::string>("a")) == "a");
  CHECK(!round_trip(std::optional<std::string>()));
}

TEST_CASE("a shared object that a codec makes of a derived type is its base where that lies") {
  const Value value(ss::Tensor::own(std::vector<float>{1}));
  ss::Decoder decoder;
  for (int again = 0; again < 2; ++again)
    CHECK(decoder.decode_shared<Second>(value, [] { return std::make_shared<Both>(); })->number ==
          2);
}

TEST_CASE("optionals of optionals tell every state apart") {
  using Nested = std::optional<std::optional<std::optional<int>>>;
  for (const Nested& state :
       {Nested(), Nested(std::in_place), Nested(std::in_place, std::in_place), Nested(5)})
    CHECK(round_trip(state) == state);
  using Tuple = std::optional<std::optional<std::tuple<std::optional<int>>>>;
  for (const Tuple& state : {Tuple(), Tuple(std::in_place), Tuple(std::tuple(std::optional<int>())),
                             Tuple(std::tuple(std::optional(5)))})
    CHECK(round_trip(state) == state);
  const auto empty = std::make_unique<std::optional<int>>();
  const auto loaded = round_trip(std::optional(std::make_shared<std::optional<int>>()));
  REQUIRE(loaded);
  REQUIRE(*loaded);
  CHECK(!**loaded);
  CHECK(Value::from(empty) == Value::tuple({nullptr}));
}

TEST_CASE("unique pointers are their object") {
  CHECK(Value::from(std::unique_ptr<int>()).is_none());
  CHECK(Value::from(std::make_unique<int>(5)) == Value(5));
  CHECK(*Value(5).as<std::unique_ptr<const int>>() == 5);
  CHECK(!Value().as<std::unique_ptr<int>>());
  Tree tree{1, {}};
  tree.children.push_back(std::make_unique<Tree>(Tree{2, {}}));
  tree.children.push_back(nullptr);
  const Tree loaded = to_value(tree).as<Tree>();
  CHECK(loaded.children.at(0)->id == 2);
  CHECK(!loaded.children.at(1));
}

TEST_CASE("the memory behind pointers, views and references is borrowed, be it const or not") {
  std::vector<float> row = {1, 2, 3};
  const auto is_borrowed = [](const Value& value, const std::vector<float>& from) {
    return value.tensor().origin() == reinterpret_cast<const std::byte*>(from.data());
  };
  CHECK(is_borrowed(Value::from(row), row));
  auto unique = std::make_unique<std::vector<float>>(row);
  CHECK(is_borrowed(Value::from(unique), *unique));
  auto shared = std::make_shared<std::vector<float>>(row);
  CHECK(is_borrowed(Value::from(shared), *shared));
  std::optional<std::vector<float>> optional = row;
  CHECK(is_borrowed(Value::from(optional), *optional));
  std::variant<int, std::vector<float>> variant = row;
  CHECK(is_borrowed(Value::from(variant), std::get<1>(variant)));
  std::vector<std::unique_ptr<std::vector<float>>> list;
  list.push_back(std::make_unique<std::vector<float>>(row));
  CHECK(is_borrowed(Value::from(list).items()[0], *list[0]));
  std::array<std::vector<float>, 1> array = {row};
  CHECK(is_borrowed(Value::from(array).items()[0], array[0]));
  std::map<std::string, std::vector<float>> map = {{"a", row}};
  CHECK(is_borrowed(Value::from(map).entries()[0].value, map["a"]));
  std::span<float> span = row;
  CHECK(is_borrowed(Value::from(span), row));
  std::span<std::vector<float>> rows(&row, 1);
  CHECK(is_borrowed(Value::from(rows).items()[0], row));
  auto tie = std::tie(row);
  CHECK(is_borrowed(Value::from(tie).items()[0], row));
  std::pair<int, std::vector<float>&> pair(1, row);
  CHECK(is_borrowed(Value::from(pair).items()[1], row));
  std::pair<std::vector<float>&, int> turned(row, 1);
  CHECK(is_borrowed(Value::from(turned).items()[0], row));
  Layer layer{"a", row};
  CHECK(is_borrowed(Value::from(layer)["weight"], layer.weight));
}

TEST_CASE("shared objects that a codec makes one after the other are not taken for one") {
  const Value value = Value::from(Maker{{1, 2, 3, 4}});
  for (const std::size_t i : {0U, 1U, 2U, 3U})
    CHECK(value.items()[i].tensor().to_vector<float>() ==
          std::vector<float>(i + 1, static_cast<float>(i)));
}

TEST_CASE("an object with tensors that is shared is stored once and loads as one") {
  const auto layer = std::make_shared<Layer>(Layer{"a", {1, 2}});
  const auto twin = std::make_shared<Layer>(Layer{"a", {1, 2}});
  const std::vector<std::shared_ptr<Layer>> layers{layer, twin, layer, nullptr};
  const Value value = Value::from(layers);
  CHECK(value[0]["weight"].tensor_name() == "0.weight");
  CHECK(value[2]["weight"].tensor_name() == "0.weight");
  CHECK(value[1]["weight"].tensor_name() != "0.weight");
  const auto loaded = value.as<std::vector<std::shared_ptr<Layer>>>();
  CHECK(loaded[0] == loaded[2]);
  CHECK(loaded[0] != loaded[1]);
  CHECK(loaded[0]->weight == std::vector<float>{1, 2});
  CHECK(loaded[1]->weight == std::vector<float>{1, 2});
  CHECK(!loaded[3]);
}

TEST_CASE("the same tensors under other values are other objects") {
  const std::vector<float> weight{1, 2};
  Value first = Value::structure("Layer", {{"name", "a"}, {"weight", Value::from(weight)}});
  Value second = Value::structure("Layer", {{"name", "b"}, {"weight", Value::from(weight)}});
  const auto loaded = Value::list({first, second}).as<std::vector<std::shared_ptr<Layer>>>();
  CHECK(loaded[0] != loaded[1]);
  CHECK(loaded[1]->name == "b");
}

TEST_CASE("objects without tensor elements load as copies") {
  const auto shared = std::make_shared<std::string>("a");
  const auto loaded =
      Value::from(std::vector{shared, shared}).as<std::vector<std::shared_ptr<std::string>>>();
  CHECK(loaded[0] != loaded[1]);
  const std::vector empty(2, std::make_shared<std::vector<float>>());
  const auto loaded_empty = to_value(empty).as<std::vector<std::shared_ptr<std::vector<float>>>>();
  CHECK(loaded_empty[0] != loaded_empty[1]);
}

TEST_CASE("a cycle is an error with its path") {
  const auto first = std::make_shared<Node>();
  first->next = std::make_shared<Node>(Node{1, first});
  CHECK(error_of([&] { return Value::from(first); }) ==
        "cycle: at /next/next: a structure contains itself. Break the cycle, for example with a "
        "std::weak_ptr or a skipped field.");
  first->next->next = nullptr;
  CHECK(round_trip(first)->next->id == 1);
}

TEST_CASE("objects shared at every level are refused before they take memory without end") {
  using List = std::vector<std::shared_ptr<Node>>;
  auto leaf = std::make_shared<List>(List{std::make_shared<Node>(), std::make_shared<Node>()});
  using Level = std::vector<std::shared_ptr<List>>;
  const auto twice = std::make_shared<Level>(Level{leaf, leaf});
  const std::vector<std::shared_ptr<Level>> root(8, twice);
  // A list holds 7 nodes, a level 15 with its repetition, the root 8 of these.
  CHECK(error_of([&] { return Value::from(root, {.limits = {.nodes = 100}}); }) ==
        "limit_exceeded: at /7: a structure has too many nodes: expected at most 100 "
        "(Limits::nodes). A shared object is stored once for each place that refers to it.");
  CHECK(Value::from(root, {.limits = {.nodes = 1000}}).size() == 8);
}

TEST_CASE("a weak pointer is None, so that it breaks cycles") {
  const auto node = std::make_shared<Node>();
  const Value value = Value::from(Child{node, 3});
  CHECK(value["parent"].is_none());
  CHECK(value.as<Child>().parent.expired());
}

TEST_CASE("shared objects in shared objects load in time in proportion, however deep") {
  const auto load = [](int depth) {
    auto chain = std::make_shared<Linked>();
    chain->weight = {1};
    for (int i = 0; i < 5000; ++i) chain->notes.push_back(std::to_string(i));
    for (int i = 0; i < depth; ++i) {
      auto around = std::make_shared<Linked>();
      around->weight = {static_cast<float>(i)};
      around->next = std::move(chain);
      chain = std::move(around);
    }
    Value value = to_value(std::vector{chain, chain});
    value.own();
    return [value, depth] {
      const auto loaded = value.as<std::vector<std::shared_ptr<Linked>>>();
      CHECK(loaded[0] == loaded[1]);
      const Linked* last = loaded[0].get();
      for (int i = 0; i < depth; ++i) last = last->next.get();
      CHECK(last->notes.size() == 5000);
    };
  };
  ss::test::check_ratio("depth", load(3), load(150), 24);
}

TEST_CASE("values that differ only in where their attributes end are not one object") {
  const std::array<float, 1> data = {1};
  Value tensor(ss::Tensor::of(std::span<const float>(data)));
  tensor.set_tensor_name("w");
  const auto print = [](const Value& value) { return ss::detail::print_of(value, nullptr).hash; };
  Value with = Value::list({tensor});
  with.set_attribute("a", 1);
  const Value without = Value::list({"a", 1, tensor});
  CHECK(print(with) != print(without));
  CHECK(print(Value::list({Value::list({tensor}), 1})) !=
        print(Value::list({Value::list({tensor, 1})})));
  CHECK(print(with) == print(Value(with)));
}
