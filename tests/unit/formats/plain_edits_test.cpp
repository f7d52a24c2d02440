// Checkpoints without a schema, changed and saved again without one: the place of a tensor decides
// on its name.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::Tensor;
using ss::Value;
using ss::test::Folder;

namespace plain_edits {

struct Layer {
  std::vector<float> weight;
};

struct Model {
  std::vector<Layer> layers;
};

}  // namespace plain_edits

namespace {

using plain_edits::Model;
using Tensors = std::map<std::string, Tensor>;
using Layers = std::vector<float>;

const ss::SaveOptions plain = {.schema = false};

/// A model whose layers are numbered by their only weight.
Model model(const Layers& numbers) {
  Model result;
  for (const float number : numbers) result.layers.push_back({{number}});
  return result;
}

Layers numbers_of(const Model& model) {
  Layers result;
  for (const auto& layer : model.layers) result.push_back(layer.weight.at(0));
  return result;
}

/// Returns a checkpoint of three layers as it is loaded: from files without a schema, where names
/// are all there is, or from one with a schema, which has the names next to it.
std::vector<Value> checkpoints(const Folder& folder) {
  ss::save_file(model({0, 1, 2}), folder / "plain.safetensors", plain);
  ss::save_file(model({0, 1, 2}), folder / "split.safetensors", {.schema = false, .shard_size = 4});
  ss::save_file(model({0, 1, 2}), folder / "schema.safetensors");
  return {ss::load_file(folder / "plain.safetensors"),
          ss::load_file(folder / "split.safetensors.index.json"),
          ss::load_file(folder / "schema.safetensors")};
}

/// Returns what a changed checkpoint is after it was saved without a schema, in one file and in
/// several.
std::vector<Layers> saved(const Folder& folder, const Value& changed) {
  ss::save_file(changed, folder / "one.safetensors", plain);
  ss::save_file(changed, folder / "parts.safetensors", {.schema = false, .shard_size = 4});
  return {numbers_of(ss::load_file<Model>(folder / "one.safetensors")),
          numbers_of(ss::load_file<Model>(folder / "parts.safetensors.index.json"))};
}

std::vector<std::string> names(const std::filesystem::path& path) {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : ss::load_file<Tensors>(path)) result.push_back(name);
  return result;
}

/// A file without a schema of tensors of these names.
std::vector<std::byte> file_of(const std::vector<std::string>& names) {
  const Tensor tensor = Tensor::own<float>({1});
  std::vector<ss::safetensors::Item> items;
  for (const std::string& name : names) items.emplace_back(name, tensor);
  return ss::safetensors::to_bytes(items);
}

}  // namespace

TEST_CASE("a layer that is appended to a loaded checkpoint is in the plain file, too") {
  const Folder folder;
  for (Value& value : checkpoints(folder)) {
    std::vector<Value>& layers = value.at("/layers").items();
    layers.push_back(layers[1]);
    CHECK(saved(folder, value) == std::vector<Layers>(2, {0, 1, 2, 1}));
  }
}

TEST_CASE("a layer that is erased from a loaded checkpoint leaves no gap in the plain file") {
  const Folder folder;
  for (Value& value : checkpoints(folder)) {
    std::vector<Value>& layers = value.at("/layers").items();
    layers.erase(layers.begin() + 1);
    CHECK(saved(folder, value) == std::vector<Layers>(2, {0, 2}));
  }
}

TEST_CASE("layers of a loaded checkpoint that are swapped stay swapped in the plain file") {
  const Folder folder;
  for (Value& value : checkpoints(folder)) {
    std::vector<Value>& layers = value.at("/layers").items();
    std::swap(layers[0], layers[2]);
    CHECK(saved(folder, value) == std::vector<Layers>(2, {2, 1, 0}));
  }
}

TEST_CASE("a part of a loaded checkpoint that is moved has the names of its new place") {
  const Folder folder;
  for (const Value& value : checkpoints(folder)) {
    ss::save_file(Value::dict({{"backbone", value}}), folder / "moved.safetensors", plain);
    CHECK(names(folder / "moved.safetensors") ==
          std::vector<std::string>{"backbone.layers.0.weight", "backbone.layers.1.weight",
                                   "backbone.layers.2.weight"});
  }
}

TEST_CASE("a tensor at two places is in a plain file twice, as who loads it expects both") {
  const Folder folder;
  const auto embed = std::make_shared<const Tensor>(Tensor::own<float>({1, 2}));
  const std::map<std::string, std::shared_ptr<const Tensor>> tied = {{"embed", embed},
                                                                     {"head", embed}};
  ss::save_file(tied, folder / "tied.safetensors");
  ss::save_file(ss::load_file(folder / "tied.safetensors"), folder / "plain.safetensors", plain);
  CHECK(names(folder / "plain.safetensors") == std::vector<std::string>{"embed", "head"});
  ss::save_file(tied, folder / "direct.safetensors", plain);
  CHECK(ss::load_file<Tensors>(folder / "direct.safetensors") ==
        ss::load_file<Tensors>(folder / "plain.safetensors"));
}

TEST_CASE("a name that a tensor was given counts in a plain file only where it has no place") {
  Value value = Tensor::own<float>({1});
  CHECK(ss::load<Tensors>(ss::save(value, plain)).count("tensor") == 1);
  value.set_tensor_name("given");
  CHECK(ss::load<Tensors>(ss::save(value, plain)).count("given") == 1);
  CHECK(ss::load<Tensors>(ss::save(Value::dict({{"a", value}}), plain)).count("a") == 1);
  // With a schema, the structure does not depend on it.
  const Value described = ss::load(ss::save(Value::dict({{"a", value}})));
  CHECK(described.at("a").tensor_name() == "given");
}

TEST_CASE("a checkpoint that is loaded and saved without a schema has the same bytes again") {
  const std::vector<std::vector<std::string>> files = {
      {"layers.0.weight", "layers.1.weight", "norm"},
      {"layers.0", "layers.1", "layers.10"},  // A gap: no list.
      {"0", "1", "2"},
      {"0", "00", "1"},
      {"", "a"},
      {".", "..", ".a", "a.", "a..b", "a.b"},
      {"a", "a.", "a.b", "a.b.", "a.b.c", "c.d"},
      {"a/b", "a~b", "~0", "/"},
      {"tensor", "null", "caf\xC3\xA9.\"\\\n", "a\tb.c d"},
      {"x#2", "x", "__metadata", "-1.0"},
  };
  const Folder folder;
  for (const std::vector<std::string>& each : files) {
    CAPTURE(each.front());
    const auto bytes = file_of(each);
    CHECK(ss::save(ss::load(bytes), plain) == bytes);
    // The state dict is flat: its keys are the names.
    CHECK(ss::save(ss::Document::from_bytes(bytes, nullptr).state_dict(), plain) == bytes);
    // Split, and joined again.
    ss::save_file(ss::load(bytes), folder / "m.safetensors", {.schema = false, .shard_size = 4});
    CHECK(ss::save(ss::load_file(folder / "m.safetensors.index.json"), plain) == bytes);
    std::filesystem::remove(folder / "m.safetensors.index.json");
  }
}
