// The program of docs/pytorch.md.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures;

namespace {

// torch.save({"model": model.state_dict(), "epoch": 3, ...}, "checkpoint.pt")
struct Linear {
  std::vector<std::vector<float>> weight;
  std::vector<float> bias;
};
struct Model {
  std::vector<Linear> layers;
  std::int64_t steps = 0;
};
struct Checkpoint {
  Model model;
  int epoch = 0;
};

}  // namespace

int main() {
  // A file that PyTorch wrote, of the tests.
  const auto tests = std::filesystem::path(__FILE__).parent_path() / "../../tests";
  std::filesystem::copy_file(tests / "golden/pytorch/checkpoint.pt", "checkpoint.pt",
                             std::filesystem::copy_options::overwrite_existing);

  Checkpoint checkpoint = ss::load_file<Checkpoint>("checkpoint.pt");  // typed
  ss::Value any = ss::load_file("checkpoint.pt");                      // dynamic
  std::cout << any.at("/model/layers.0.weight") << '\n';

  ss::Document doc = ss::open("checkpoint.pt");
  Model model = doc.at("/model").as<Model>();  // a part
  auto flat = doc.at("/model").as<std::map<std::string, ss::Tensor>>();

  ss::convert_file(doc, "checkpoint.safetensors", {.precision = ss::Precision::preserve});

  std::filesystem::remove("checkpoint.pt");
  std::filesystem::remove("checkpoint.safetensors");
  return checkpoint.epoch == 3 && model.layers.size() == 2 && flat.size() == 5 ? 0 : 1;
}
