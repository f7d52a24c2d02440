// error: deleted
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <safestructures/data/source.hpp>

namespace ss = safestructures;

std::shared_ptr<const ss::Source> open(std::vector<std::byte> bytes) {
#ifdef SHOULD_FAIL
  return ss::Source::of(std::move(bytes), nullptr);
#else
  return ss::Source::of(std::move(bytes));
#endif
}
