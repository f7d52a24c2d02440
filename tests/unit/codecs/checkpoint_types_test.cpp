/// \file
/// What a plain file of tensors, whose names are all that is known of it, loads into.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Tensor;
using ss::Value;
using ss::test::error_of;

namespace checkpoint_types {

struct Layer {
  std::vector<float> weight;
  friend bool operator==(const Layer&, const Layer&) = default;
};
template <class Layers>
struct Model {
  Layers layers;
};

}  // namespace checkpoint_types

namespace {

using checkpoint_types::Layer;
using checkpoint_types::Model;

/// A plain file of tensors of two numbers, the first of which counts them.
std::vector<std::byte> checkpoint(const std::vector<std::string>& names) {
  Value all = Value::dict();
  for (const std::string& name : names)
    all.insert(name, Tensor::own(std::vector<float>{static_cast<float>(all.size()), 0.5F}));
  return ss::save(all, {.schema = false});
}

template <class T>
std::string load_error(const std::vector<std::byte>& bytes) {
  return error_of([&] { return ss::load<T>(bytes); });
}

std::vector<std::string> layer_names(const std::vector<std::string>& numbers) {
  std::vector<std::string> names;
  for (const std::string& number : numbers) names.push_back("layers." + number + ".weight");
  return names;
}

}  // namespace

TEST_CASE_TEMPLATE("a map from names to what is saved as a tensor has a file's own names", Item,
                   Tensor, std::vector<float>, std::array<float, 2>, std::vector<double>,
                   Eigen::VectorXf, Eigen::Vector2d) {
  const auto bytes = checkpoint({"model.embed.weight", "model.layers.0.bias", "layers.0"});
  const auto all = ss::load<std::map<std::string, Item>>(bytes);
  REQUIRE(all.size() == 3);
  const Value bias = Value::from(all.at("model.layers.0.bias"));
  CHECK(bias.as<std::vector<float>>() == std::vector<float>{1, 0.5F});
  const Value other = Value::from(all.at("layers.0"));
  CHECK(other.as<std::vector<float>>() == std::vector<float>{2, 0.5F});
  CHECK(ss::load<std::unordered_map<std::string, Item>>(bytes).size() == 3);
}

TEST_CASE("a map from names to anything else has the levels that the names spell") {
  const auto bytes = checkpoint({"model.embed.weight", "model.norm.weight"});
  using Levels = std::map<std::string, std::map<std::string, std::map<std::string, Tensor>>>;
  CHECK(ss::load<Levels>(bytes).at("model").at("norm").size() == 1);
  CHECK(ss::load<std::map<std::string, Value>>(bytes).size() == 1);
  // What has a schema is as it was saved.
  const std::map<std::string, std::vector<float>> dotted = {{"a.b", {1}}};
  CHECK(ss::load<std::map<std::string, std::vector<float>>>(ss::save(dotted)) == dotted);
  CHECK(load_error<std::map<std::string, std::vector<float>>>(
            ss::save(Value::dict({{"a", Value::dict({{"b", Tensor::own<float>({1})}})}}))) ==
        "type_mismatch: at /a: a value has the wrong type: expected a tensor, or a list, tuple or "
        "set of numbers, found dict of 1. Document::state_dict() gives all tensors by their "
        "names.");
}

TEST_CASE("a state dict without a schema has the dtypes that are stored, and no note of others") {
  const Value half =
      Value::dict({{"w", Tensor::own(std::vector<ss::bfloat16>{ss::bfloat16(1.0F)})}});
  const auto dtype = [&](const ss::SaveOptions& options) {
    return ss::load<std::map<std::string, Tensor>>(ss::save(half, options)).at("w").dtype();
  };
  CHECK(dtype({}) == ss::DType::BF16);
  CHECK(dtype({.schema = false}) == ss::DType::F32);
  CHECK(dtype({.extensions = false}) == ss::DType::F32);
  CHECK(dtype({.precision = ss::Precision::preserve, .schema = false}) == ss::DType::BF16);
}

TEST_CASE("layers whose numbers have a gap are no list, which says the number that is missing") {
  using Layers = std::vector<Layer>;
  const auto error = [](const std::vector<std::string>& numbers) {
    return load_error<Model<Layers>>(checkpoint(layer_names(numbers)));
  };
  CHECK(error({"0", "2"}) ==
        "type_mismatch: at /layers: the numbers of the items have a gap: expected items '0' "
        "to '2', found dict of 2 without '1'. Load it into a std::map from an integer type, which "
        "keeps the numbers.");
  CHECK(error({"4", "3", "2", "1"}) ==
        "type_mismatch: at /layers: the numbers of the items have a gap: expected items '0' "
        "to '4', found dict of 4 without '0'. Load it into a std::map from an integer type, which "
        "keeps the numbers.");
  const std::string no_list =
      "type_mismatch: at /layers: a value has the wrong type: expected list, tuple or set, found "
      "dict of 2.";
  CHECK(error({"0", "02"}) == no_list);
  CHECK(error({"0", "x"}) == no_list);
  CHECK(error({"0", "-1"}) == no_list);
  CHECK(error({"0", "99999999999999999999"}) == no_list);
  CHECK(ss::load<Model<Layers>>(checkpoint(layer_names({"1", "0"}))).layers[0].weight[0] == 1);
}

TEST_CASE_TEMPLATE("a map from integers has the layers by their numbers, with gaps or without", Key,
                   int, std::int64_t, std::uint8_t) {
  using Layers = std::map<Key, Layer>;
  const auto load = [](const std::vector<std::string>& numbers) {
    return ss::load<Model<Layers>>(checkpoint(layer_names(numbers))).layers;
  };
  CHECK(load({"0", "2"}) == Layers{{Key{0}, {{0, 0.5F}}}, {Key{2}, {{1, 0.5F}}}});
  CHECK(load({"1", "0"}) == Layers{{Key{0}, {{1, 0.5F}}}, {Key{1}, {{0, 0.5F}}}});
  std::vector<std::string> eleven;
  for (int i = 0; i < 11; ++i) eleven.push_back(std::to_string(i));
  CHECK(load(eleven).at(Key{10}).weight[0] == 10);
  // Layers of two tensors each are no pairs of keys and values.
  using Two = std::map<Key, std::vector<std::vector<float>>>;
  const auto two =
      ss::load<Model<Two>>(checkpoint({"layers.0.0", "layers.0.1", "layers.1.0", "layers.1.1"}));
  CHECK(two.layers.at(Key{1}).at(1) == std::vector<float>{3, 0.5F});
}

TEST_CASE("a map from integers has single numbers by theirs, too") {
  Value all = Value::dict();
  for (int i = 0; i < 2; ++i)
    all.insert("steps." + std::to_string(all.size()), Tensor::allocate(ss::DType::F32, {}));
  const auto steps =
      ss::load<std::map<std::string, std::map<int, Tensor>>>(ss::save(all, {.schema = false}))
          .at("steps");
  CHECK(steps.size() == 2);
  CHECK(steps.at(1).rank() == 0);
}

TEST_CASE("integers that are keys may be text, as in JSON of others") {
  using Labels = std::map<int, std::string>;
  CHECK(Value::dict({{"-7", "a"}, {"12", "b"}}).as<Labels>() == Labels{{-7, "a"}, {12, "b"}});
  CHECK(Value::dict({{1, "a"}, {"2", "b"}}).as<std::unordered_map<unsigned, std::string>>().at(2) ==
        "b");
  CHECK(Value::dict({{"18446744073709551615", 1}})
            .as<std::map<std::uint64_t, int>>()
            .contains(18446744073709551615U));
  const auto error = [](const Value& value) {
    return error_of([&] { return value.as<Labels>(); });
  };
  for (const char* text :
       {"", "+1", "01", "-0", " 1", "1.0", "0x1", "one", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK(error(Value::dict({{text, "a"}}))
              .find("a value has the wrong type: expected int, found str \"") != std::string::npos);
  }
  CHECK(error(Value::dict({{"3000000000", "a"}})) ==
        "out_of_range: at /3000000000: a number is out of range: expected an int from -2147483648 "
        "to 2147483647, found int 3000000000. Load it into a wider type, or choose "
        "Overflow::saturate.");
  CHECK(error(Value::dict({{1, "a"}, {"1", "b"}})) ==
        "duplicate_name: at /: two items become equal in the loaded type: found int 1. "
        "Load them into a multimap, a multiset or a list.");
  // Pairs are pairs, and a list of other things is no map.
  CHECK(Value::list({Value::list({1, "a"})}).as<Labels>() == Labels{{1, "a"}});
  CHECK(error(Value::list({"a", "b"})) ==
        "type_mismatch: at /: a value has the wrong type: expected dict, struct, or a list of "
        "(key, value) pairs, found list of 2.");
  CHECK(Value::dict({{"1", 2}}).as<std::map<char, int>>().contains('1'));
}
