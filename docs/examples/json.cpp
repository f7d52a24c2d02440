// The program of docs/json.md.
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures;

namespace {

struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<float> dropout;
};

}  // namespace

int main() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "safestructures_layer.json";
  const Layer layer{"a", {1, 2, 3.5F}, 0.5F};

  ss::save_file(layer, path);  // ends in .json
  Layer again = ss::load_file<Layer>(path);

  // What others wrote: natural JSON is enough.
  const std::string text = R"({"name": "b", "weight": [1, 2.5], "dropout": null})";
  Layer other = ss::load<Layer>(std::as_bytes(std::span(text)));

  // Smaller and faster, for programs only.
  const ss::JsonOptions compact{.tensors = ss::JsonTensors::base64, .indent = 0};
  std::vector<std::byte> bytes = ss::save(layer, {.format = ss::formats::json(compact)});

  std::filesystem::remove(path);
  const bool is_right = again.weight == layer.weight && other.name == "b" && !other.dropout &&
                        ss::load<Layer>(bytes).dropout == layer.dropout;
  std::cout << (is_right ? "ok\n" : "wrong\n");
  return is_right ? 0 : 1;
}
