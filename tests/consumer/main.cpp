// What an outside project does: saves a structure with a matrix, loads it, and catches an error
// that crosses the library's border.
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>

namespace ss = safestructures;

struct Layer {
  std::string name;
  std::vector<float> bias;
  Eigen::MatrixXf weight;
};

int main() {
  const Layer layer{"first", {1.0F, 2.0F}, Eigen::MatrixXf::Identity(2, 2)};
  const std::vector<std::byte> bytes = ss::save(layer);
  const auto again = ss::load<Layer>(bytes);
  if (again.name != layer.name || again.bias != layer.bias || again.weight != layer.weight) {
    std::puts("what was loaded is not what was saved");
    return 1;
  }
  try {
    static_cast<void>(ss::load<Layer>(std::vector<std::byte>(4)));
  } catch (const ss::Error& error) {
    std::puts(error.what());
    return 0;
  }
  std::puts("four bytes were loaded as a file");
  return 1;
}
