/// \file
/// What the programs here compare with golden.safetensors, which testing_macros_test.py makes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <safestructures/codecs/codecs.hpp>

struct Layer {
  std::string name = "dense";
  std::map<std::string, std::vector<float>> weights = {{"bias", {0.5F}}, {"kernel", {1, 2, 3}}};
};

/// As Python's, but for one number.
inline Layer other_layer() {
  Layer layer;
  layer.weights["kernel"][1] = 2.25F;
  return layer;
}
