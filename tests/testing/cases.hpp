/// \file
/// The cases of the frameworks that have `TEST_CASE`: one passes, the others fail, each for its own
/// reason.
#pragma once

#include "model.hpp"

TEST_CASE("passes") {
  const Layer layer;
  CHECK_STRUCTURES_NEAR(layer, "golden.safetensors");
  CHECK_STRUCTURES_NEAR(other_layer(), "golden.safetensors", {.atol = 0.5});
  if (layer.name.empty()) CHECK_STRUCTURES_NEAR(layer, "none.safetensors");
  else CHECK_STRUCTURES_NEAR(safestructures::Value::from(layer), "golden.safetensors");
}

TEST_CASE("differs") {
  CHECK_STRUCTURES_NEAR(other_layer(), "golden.safetensors");
  CHECK_STRUCTURES_NEAR(Layer{}, "extra.safetensors");
}

TEST_CASE("lacks_a_file") {
  CHECK_STRUCTURES_NEAR(Layer{}, "none.safetensors");
  CHECK_STRUCTURES_NEAR(Layer{}, "golden.safetensors");
}
