// error: deleted
#include <cstddef>
#include <utility>
#include <vector>

#include <safestructures/tools/document.hpp>

namespace ss = safestructures;

ss::Document open(std::vector<std::byte> bytes) {
#ifdef SHOULD_FAIL
  return ss::Document::from_bytes(std::move(bytes), nullptr);
#else
  return ss::Document::open(ss::Source::of(std::move(bytes)));
#endif
}
