// error: (deleted|dangl)
#include <cstddef>
#include <string_view>

#include <safestructures/formats/safetensors.hpp>

namespace ss = safestructures;

std::size_t size() {
#ifdef SHOULD_FAIL
  const std::string_view name = ss::safetensors::File::open("f").name(0);
  return name.size();
#else
  const auto file = ss::safetensors::File::open("f");
  const std::string_view name = file.name(0);
  return name.size();
#endif
}
