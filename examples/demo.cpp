// The quick start: saves a nested structure with Eigen matrices; loads it typed and dynamically.
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

struct Layer {
  std::string name;
  Eigen::MatrixXf weight;
  std::optional<float> dropout;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::int64_t, std::string> labels;
};

int main() {
  Model model{.layers = {{"encoder", Eigen::MatrixXf::Random(4, 3), 0.1F},
                         {"decoder", Eigen::MatrixXf::Identity(3, 3), std::nullopt}},
              .labels = {{0, "cat"}, {1, "dog"}}};

  ss::save_file(model, "model.safetensors", {.metadata = {{"run", "42"}}});
  Model again = ss::load_file<Model>("model.safetensors");  // typed
  ss::Value any = ss::load_file("model.safetensors");       // dynamic
  ss::Document doc = ss::open("model.safetensors");         // lazy: header and schema only
  ss::Tensor weight = doc.at("/layers/0/weight").tensor();  // keeps the mapped file alive
  Layer decoder = doc.at("/layers/1").as<Layer>();          // a part, typed

  std::cout << any["labels"] << "encoder.weight is "
            << (again.layers[0].weight == model.layers[0].weight ? "the same" : "different") << ", "
            << to_string(weight.shape()) << "; layer 1 is the " << decoder.name << '\n';
  return again.layers[0].weight == model.layers[0].weight ? 0 : 1;
}
