// error: (deleted|dangl)
#include <safestructures/recording/recording.hpp>

namespace ss = safestructures;

bool is_known(ss::Recording (*make)()) {
#ifdef SHOULD_FAIL
  return make().select("*").empty();
#else
  const ss::Recording run = make();
  return run.select("*").empty();
#endif
}
