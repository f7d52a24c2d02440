#include "struct.hpp"

void save(const Model& model) { safestructures::save_file(model, "model.safetensors"); }
