// error: (deleted|dangl)
#include <cstddef>
#include <span>
#include <string_view>

#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/document.hpp>

namespace ss = safestructures;

std::size_t count() {
#ifdef SHOULD_FAIL
  const ss::safetensors::File& file = ss::open("f").container<ss::safetensors::File>();
  return file.size();
#else
  const ss::Document document = ss::open("f");
  const ss::safetensors::File& file = document.container<ss::safetensors::File>();
  return file.size();
#endif
}
