#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>

struct Layer {
  std::string name;
  std::vector<float> bias;
};

int main() {
  const std::vector<std::byte> bytes = safestructures::save(Layer{"first", {1.0F, 2.0F}});
  std::puts(safestructures::load<Layer>(bytes).name.c_str());
}
