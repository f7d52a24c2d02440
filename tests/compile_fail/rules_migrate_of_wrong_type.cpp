// error: write Rules<T>::migrate as .static void migrate\(ss::Value& value, unsigned
#include <safestructures/codecs/rules.hpp>

namespace ss = safestructures;

struct Layer {
  int w = 1;
  int bias = 2;
  int cache = 3;
};

template <>
struct ss::Rules<Layer> {
#ifdef SHOULD_FAIL
  static void migrate(ss::Value& value);
#else
  static void migrate(ss::Value& value, unsigned from_version);
#endif
};

static_assert(ss::has_migrate<Layer>);
