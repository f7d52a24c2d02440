// error: (deleted|dangl)
#include <cstddef>
#include <string_view>

#include <safestructures/formats/safetensors.hpp>

namespace ss = safestructures;

std::size_t size() {
#ifdef SHOULD_FAIL
  const auto metadata = ss::safetensors::Header::parse({}, 0).metadata();
  return metadata.size();
#else
  const auto header = ss::safetensors::Header::parse({}, 0);
  const auto metadata = header.metadata();
  return metadata.size();
#endif
}
