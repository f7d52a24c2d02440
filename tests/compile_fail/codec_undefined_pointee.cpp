// error: what this pointer points to is declared here, but not defined: include the header
#include <memory>

#include <safestructures/codecs/codecs.hpp>

struct Layer;
#ifndef SHOULD_FAIL
struct Layer {
  std::unique_ptr<Layer> next;
};
#endif

safestructures::Value save(const std::shared_ptr<Layer>& layer) {
  return safestructures::Value::from(layer);
}
