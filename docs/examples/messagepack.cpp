// The program of docs/messagepack.md.

#include <optional>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<float> dropout;
};

int main() {
  const Layer layer{"a", {1, 2, 3.5}, 0.5F};
  ss::save_file(layer, "layer.msgpack");
  Layer again = ss::load_file<Layer>("layer.msgpack");
  ss::convert_file(ss::open("layer.msgpack"), "layer.cbor");
  ss::save_file(layer, "layer.cbor.gz");  // gzip goes around these as around all formats
  return again.weight == layer.weight && ss::load_file<Layer>("layer.cbor").name == "a" ? 0 : 1;
}
