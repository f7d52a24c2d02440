// error: a volatile member, an anonymous union or a C array without size cannot be reflected
#include <safestructures/codecs/reflect.hpp>

struct Reflected {
  int number;
#ifdef SHOULD_FAIL
  float last[];
#else
  float last[2];
#endif
};

static_assert(safestructures::field_count<Reflected> == 2);
