#include "struct.hpp"

void save(const Model& model) { safestructures::save_file(model, "model.safetensors"); }
Model load() { return safestructures::load_file<Model>("model.safetensors"); }
