// A small model whose inputs, outputs and intermediate activations are saved, and compared with
// those of a second run: where do the two diverge?
#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

struct Linear {
  Eigen::MatrixXf weight;
  Eigen::VectorXf bias;

  Eigen::VectorXf operator()(const Eigen::VectorXf& x) const { return weight * x + bias; }
};

struct Mlp {
  std::vector<Linear> layers;
};

/// Everything one run of the model saw and made.
struct Run {
  Eigen::VectorXf input;
  std::map<std::string, Eigen::VectorXf> activations;
  Eigen::VectorXf output;
};

Run run(const Mlp& model, const Eigen::VectorXf& input) {
  Run record{.input = input, .activations = {}, .output = input};
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    record.output = model.layers[i](record.output);
    if (i + 1 < model.layers.size()) record.output = record.output.array().tanh();
    record.activations["layer" + std::to_string(i)] = record.output;
  }
  return record;
}

int main() {
  const Mlp model{{{Eigen::MatrixXf::Constant(8, 4, 0.25F), Eigen::VectorXf::Constant(8, 0.5F)},
                   {Eigen::MatrixXf::Constant(8, 8, -0.125F), Eigen::VectorXf::Zero(8)},
                   {Eigen::MatrixXf::Constant(2, 8, 0.5F), Eigen::VectorXf::Ones(2)}}};
  const Eigen::VectorXf input = Eigen::VectorXf::LinSpaced(4, -1.0F, 1.0F);

  // The model is saved in half precision; the second run uses what comes back.
  ss::save_file(model, "mlp.safetensors", {.precision = ss::Precision::f16});
  ss::save_file(run(model, input), "reference.safetensors");

  Mlp changed = ss::load_file<Mlp>("mlp.safetensors");
  changed.layers[1].bias[3] += 0.01F;
  ss::save_file(run(changed, input), "changed.safetensors");

  const ss::Document reference = ss::open("reference.safetensors");
  const Run again = ss::load_file<Run>("changed.safetensors");
  std::string first_difference;
  for (const auto& [name, activation] : again.activations) {
    const auto expected = reference.at("/activations/" + name).as<Eigen::VectorXf>();
    const float difference = (activation - expected).cwiseAbs().maxCoeff();
    std::cout << name << ": largest difference " << difference << '\n';
    if (difference > 1e-6F && first_difference.empty()) first_difference = name;
  }
  std::cout << "the runs diverge at " << first_difference << '\n';
  return first_difference == "layer1" ? 0 : 1;
}
