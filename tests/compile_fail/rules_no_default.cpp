// error: from a default T\{\}, but T has a field without default: give that one a default
#include <safestructures/codecs/rules.hpp>

namespace ss = safestructures;

struct Needy {
  explicit Needy(int) {}
};

struct Layer {
#ifdef SHOULD_FAIL
  Needy needy;
#else
  Needy needy = Needy(1);
#endif
  int bias = 2;
};

int bias() { return ss::default_value<Layer, 1>(); }
