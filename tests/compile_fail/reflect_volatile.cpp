// error: a volatile member, an anonymous union or a C array without size cannot be reflected
#include <safestructures/codecs/reflect.hpp>

struct Reflected {
#ifdef SHOULD_FAIL
  volatile int first;
#else
  int first;
#endif
  int number;
};

static_assert(safestructures::field_count<Reflected> == 2);
