// error: (deleted|dangl)
#include <safestructures/recording/recording.hpp>

namespace ss = safestructures;

bool is_known(ss::Recording (*make)()) {
#ifdef SHOULD_FAIL
  return make().find("a", 0) != nullptr;
#else
  const ss::Recording run = make();
  return run.find("a", 0) != nullptr;
#endif
}
