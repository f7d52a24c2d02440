#pragma once

#include <safestructures/safestructures.hpp>

struct Optimizer {
  double learning_rate;
  std::int64_t step;
  std::vector<double> moments;
};

struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<float> dropout;
};

/// Ten fields, nested.
struct Model {
  std::string name;
  std::int64_t version;
  double loss;
  bool trained;
  std::vector<float> embedding;
  std::vector<Layer> layers;
  std::map<std::int64_t, std::string> labels;
  std::array<float, 3> mean;
  Optimizer optimizer;
  safestructures::Tensor mask;
};
