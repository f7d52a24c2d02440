// error: write Rules<T>::version as .static constexpr unsigned version = 1
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
  static constexpr int version = -1;
#else
  static constexpr unsigned version = 1;
#endif
};

static_assert(ss::class_version<Layer> == 1);
