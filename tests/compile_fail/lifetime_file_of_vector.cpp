// error: deleted
#include <cstddef>
#include <utility>
#include <vector>

#include <safestructures/formats/safetensors/reader.hpp>

namespace ss = safestructures;

ss::safetensors::File open(std::vector<std::byte> bytes) {
#ifdef SHOULD_FAIL
  return ss::safetensors::File::from_bytes(std::move(bytes), nullptr);
#else
  return ss::safetensors::File::open(ss::Source::of(std::move(bytes)));
#endif
}
