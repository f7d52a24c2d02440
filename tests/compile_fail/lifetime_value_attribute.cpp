// error: (deleted|dangl)
#include <safestructures/data/value.hpp>

namespace ss = safestructures;

bool is_known(ss::Value (*make)()) {
#ifdef SHOULD_FAIL
  return make().attribute("a") != nullptr;
#else
  const ss::Value value = make();
  return value.attribute("a") != nullptr;
#endif
}
