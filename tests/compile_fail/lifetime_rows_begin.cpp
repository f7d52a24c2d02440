// error: (deleted|dangl)
#include <safestructures/compare/compare.hpp>

namespace ss = safestructures;

bool is_known(ss::Comparison (*make)()) {
#ifdef SHOULD_FAIL
  return make().rows.begin()->path.empty();
#else
  const ss::Comparison found = make();
  return found.rows.begin()->path.empty();
#endif
}
