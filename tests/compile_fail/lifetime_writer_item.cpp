// error: (deleted|dangl)
#include <array>

#include <safestructures/formats/safetensors.hpp>

namespace ss = safestructures;

std::size_t size(ss::Tensor (*make)()) {
#ifdef SHOULD_FAIL
  const ss::safetensors::Item item("a", make());
  return item.name.size();
#else
  const ss::Tensor tensor = make();
  const ss::safetensors::Item item("a", tensor);
  return item.name.size();
#endif
}
