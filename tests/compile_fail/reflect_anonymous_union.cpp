// error: a volatile member, an anonymous union or a C array without size cannot be reflected
#include <safestructures/codecs/reflect.hpp>

struct Reflected {
#ifdef SHOULD_FAIL
  union {
    int number;
    float real;
  };
#else
  union {
    int number;
    float real;
  } named;
#endif
  int other;
};

static_assert(safestructures::field_count<Reflected> == 2);
